// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/core_product.cpp: elements of D = A B + C by mx::dot.
#include <algorithm>
#include <vector>

#include "dot/gemm_product.h"
#include "mx/dot/dot.h"
#include "mx/tensor/parallel.h"

namespace mx {
namespace {

/// Adjacent codes of a line, one a byte. Packed codes are unpacked.
class byte_codes {
 public:
  byte_codes(const gemm_operand& from, std::int64_t line, std::int64_t first, std::int64_t count) {
    codes_ = static_cast<const std::uint8_t*>(from.codes) + line * from.line_bytes;
    if (from.storage != code_storage::pairs) {
      codes_ += first;
      return;
    }
    if (count > most) more_.resize(static_cast<std::size_t>(count));
    std::uint8_t* to = count > most ? more_.data() : few_;
    for (std::int64_t k = 0; k < count; ++k) {
      to[k] = static_cast<std::uint8_t>(codes_[(first + k) / 2] >> ((first + k) % 2 * 4) & 0xF);
    }
    codes_ = to;
  }
  byte_codes(const byte_codes&) = delete;
  byte_codes& operator=(const byte_codes&) = delete;

  [[nodiscard]] const std::uint8_t* first() const { return codes_; }

 private:
  static constexpr std::int64_t most = 64;
  const std::uint8_t* codes_;
  std::uint8_t few_[most];
  std::vector<std::uint8_t> more_;
};

template <class Code>
const Code* code_at(const gemm_operand& from, std::int64_t line, std::int64_t first) {
  const auto* bytes = static_cast<const std::uint8_t*>(from.codes) + line * from.line_bytes;
  return reinterpret_cast<const Code*>(bytes) + first;
}

/// Calls work(codes) with the type in which the codes are stored.
template <class Work>
std::uint32_t with_codes(const gemm_operand& from, std::int64_t line, std::int64_t first,
                         std::int64_t count, const Work& work) {
  switch (from.storage) {
    case code_storage::halves:
      return work(code_at<std::uint16_t>(from, line, first));
    case code_storage::words:
      return work(code_at<std::uint32_t>(from, line, first));
    default:
      return work(byte_codes(from, line, first, count).first());
  }
}

}  // namespace

std::uint32_t core_product::element(std::int64_t row, std::int64_t column, std::int64_t first,
                                    std::int64_t count, std::uint32_t c) const {
  const std::int64_t blocks = model_.block > 0 ? (shape_.k + model_.block - 1) / model_.block : 0;
  const auto scales = [&](const gemm_operand& from, std::int64_t line) {
    return blocks > 0 ? from.scales + line * blocks + first / model_.block : nullptr;
  };
  const std::int64_t there = std::min(count, shape_.k - first);
  return with_codes(a_, row, first, there, [&](const auto* left) {
    return with_codes(b_, column, first, there, [&](const auto* right) {
      return dot(model_, left, right, static_cast<int>(there), c, scales(a_, row),
                 scales(b_, column));
    });
  });
}

exact_steps core_product::steps_of(std::int64_t row, std::int64_t column, std::int64_t step) const {
  const auto one = [](const void* product, std::int64_t i, std::int64_t j, std::int64_t at,
                      float sum) {
    const auto& core = *static_cast<const core_product*>(product);
    // Positions beyond the last line or column have no operands, and their sums are unused.
    if (i >= core.shape().m || j >= core.shape().n) return 0.0F;
    return float_of(core.element(i, j, at * step_elements, step_elements, bits_of(sum)));
  };
  return {one, this, row, column, step};
}

void core_product::add(const gemm_region& region, std::int64_t first, std::int64_t count,
                       std::uint32_t* sums) const {
  const std::int64_t columns = region.columns();
  for_each_in_parallel(region.rows(), [&](std::int64_t row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      std::uint32_t& sum = sums[row * columns + column];
      sum = element(region.row + row, region.column + column, first, count, sum);
    }
  });
}

}  // namespace mx
