// SPDX-License-Identifier: Apache-2.0
// tests/kernels/gemm/strided_product.h: a product whose C and D have gaps between their rows, and
// its memory.
#pragma once
#include <string>
#include <vector>

#include "mx/dot/models.h"
#include "products.h"
#include "tests/kernels/grid/host_gemm.h"
#include "tests/kernels/grid/host_native_gemm.h"

namespace kernels_test {

using mx::kernels::gemm_kernel;
using mx::kernels::gemm_request;
using mx::kernels::lines_of_codes;

/// Elements after each row of C and of D, and before the first of both.
struct row_gaps_of_product {
  std::int64_t c = 0, d = 0, before = 0;
};

/// Numbers of 16 or 32 bits with gaps, in bytes; a byte of a gap is 0xEE.
class gapped_numbers {
 public:
  gapped_numbers(std::int64_t rows, std::int64_t columns, std::int64_t gap, std::int64_t before,
                 int bytes)
      : rows_(rows),
        columns_(columns),
        stride_(columns + gap),
        before_(before),
        bytes_(bytes),
        memory_(static_cast<std::size_t>(((before + rows * stride_) * bytes + 7) / 8),
                0xEEEEEEEEEEEEEEEE) {}

  [[nodiscard]] std::uint8_t* first() { return all() + before_ * bytes_; }
  [[nodiscard]] std::int64_t stride() const { return stride_; }

  void fill(const std::vector<std::uint32_t>& numbers) {
    for_each([&](std::size_t i, std::int64_t at) {
      for (int b = 0; b < bytes_; ++b) {
        all()[at + b] = static_cast<std::uint8_t>(numbers[i] >> (8 * b));
      }
    });
  }
  /// The numbers; the gaps are then bytes of numbers too.
  [[nodiscard]] std::vector<std::uint32_t> taken() {
    std::vector<std::uint32_t> numbers(static_cast<std::size_t>(rows_ * columns_));
    for_each([&](std::size_t i, std::int64_t at) {
      for (int b = 0; b < bytes_; ++b) {
        numbers[i] |= static_cast<std::uint32_t>(all()[at + b]) << (8 * b);
        all()[at + b] = 0xEE;
      }
    });
    return numbers;
  }
  [[nodiscard]] bool is_untouched() {
    for (const std::uint64_t word : memory_) {
      if (word != 0xEEEEEEEEEEEEEEEE) return false;
    }
    return true;
  }

 private:
  template <class Work>
  void for_each(const Work& work) const {
    for (std::int64_t row = 0; row < rows_; ++row) {
      for (std::int64_t column = 0; column < columns_; ++column) {
        work(static_cast<std::size_t>(row * columns_ + column),
             (before_ + row * stride_ + column) * bytes_);
      }
    }
  }
  [[nodiscard]] std::uint8_t* all() { return reinterpret_cast<std::uint8_t*>(memory_.data()); }

  std::int64_t rows_, columns_, stride_, before_;
  int bytes_;
  std::vector<std::uint64_t> memory_;
};

/// A workspace aligned to 16 bytes.
class workspace_memory {
 public:
  explicit workspace_memory(std::int64_t bytes)
      : bytes_(bytes), words_(static_cast<std::size_t>(bytes / 8 + 2), 0xEEEEEEEEEEEEEEEE) {}
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  [[nodiscard]] void* data() {
    auto* first = reinterpret_cast<unsigned char*>(words_.data());
    return first + (16 - reinterpret_cast<std::uintptr_t>(first) % 16) % 16;
  }

 private:
  std::int64_t bytes_;
  std::vector<std::uint64_t> words_;
};

struct drawn_product {
  mx::gemm_plan plan;
  mx::gemm_shape shape;
  lines_of_codes a, b;
  std::vector<std::uint32_t> c;

  static drawn_product of(const mx::gemm_plan& plan, const mx::gemm_shape& shape,
                          mx::kernels::scales kind, mx::kernels::addends c,
                          std::uint64_t other = 0) {
    const auto seed = static_cast<std::uint64_t>(shape.m * 31 + shape.k) + 97 * other;
    constexpr auto pairs = mx::code_storage::pairs;
    return {plan, shape, mx::kernels::drawn_lines(plan.model, pairs, shape.m, shape.k, kind, seed),
            mx::kernels::drawn_lines(plan.model, pairs, shape.n, shape.k, kind, seed + 2),
            mx::kernels::drawn_addends(c, shape.m * shape.n, seed + 4)};
  }

  /// D by mx::gemm, of models whose C is FP32.
  [[nodiscard]] std::vector<std::uint32_t> expected() const {
    std::vector<std::uint32_t> d(static_cast<std::size_t>(shape.m * shape.n));
    mx::gemm(plan, shape, a.operand(), b.operand(), c.empty() ? nullptr : c.data(), d.data());
    return d;
  }
};

/// What a product on the bodies gave: the numbers of D, the kernel, whether a gap was written.
struct strided_answer {
  std::vector<std::uint32_t> d;
  std::string kernel;
  bool kept_gaps = false;
};

///   unit  of native products
inline strided_answer product_in_gaps(const drawn_product& p, gemm_kernel kernel,
                                      const row_gaps_of_product& gaps,
                                      native_unit unit = native_unit::warp) {
  const int output = p.plan.output.width() / 8, result = p.plan.model.sum.result.width() / 8;
  gapped_numbers c(p.shape.m, p.shape.n, gaps.c, gaps.before, result);
  gapped_numbers d(p.shape.m, p.shape.n, gaps.d, gaps.before, output);
  if (!p.c.empty()) c.fill(p.c);
  gemm_request r{p.plan, p.shape, p.a.operand(), p.b.operand()};
  r.c = p.c.empty() ? nullptr : c.first();
  r.d = d.first();
  r.kernel = kernel;
  r.c_stride = c.stride(), r.d_stride = d.stride();
  workspace_memory workspace(mx::kernels::gemm_workspace_bytes(r));
  r.workspace = workspace.data(), r.workspace_bytes = workspace.bytes();
  const host_answer answer = unit == native_unit::warp ? gemm(r) : native_gemm(r, unit);
  strided_answer found{d.taken(), mx::kernels::sentence_of(answer.status), d.is_untouched()};
  if (answer.status.is_done()) found.kernel = answer.kernels;
  return found;
}

}  // namespace kernels_test
