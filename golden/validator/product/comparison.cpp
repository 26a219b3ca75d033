// SPDX-License-Identifier: Apache-2.0
// golden/validator/product/comparison.cpp: a kernel's D against a plan's, bit by bit.
#include "comparison.h"

#include <algorithm>
#include <vector>

#include "mx/number/element.h"

namespace golden::validator {
namespace {

/// A part of D.
struct region {
  std::int64_t row, rows, column, columns;

  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(rows * columns); }
};

/// Lines of an operand from index `line` on.
mx::gemm_operand beginning_at(const mx::dot_model& model, mx::gemm_operand from, std::int64_t line,
                              std::int64_t k) {
  if (from.codes != nullptr) {
    from.codes = static_cast<const std::uint8_t*>(from.codes) + line * from.line_bytes;
  }
  if (from.scales != nullptr && model.block > 0) {
    from.scales += line * ((k + model.block - 1) / model.block);
  }
  return from;
}

bool is_nan(const mx::format& f, std::uint32_t code) {
  return mx::decode(f, code).kind == mx::kind::nan;
}

/// Computes D of a plan region by region and compares it with a kernel's.
class product_reader {
 public:
  product_reader(const mx::gemm_plan& plan, const product_operands& with,
                 const product_words& words)
      : plan_(plan), with_(with), words_(words) {}

  /// Adds the result of a region of whole rows, or of a part of one row.
  void compare(const region& r, product_comparison& all) {
    const std::size_t begin = offset(r);
    expect(r, begin);
    const auto found = words_.d.subspan(begin, r.size());
    for (std::size_t i = 0; i < r.size(); ++i) {
      if (expected_[i] == found[i]) continue;
      const bool nan = is_nan(plan_.output, expected_[i]) && is_nan(plan_.output, found[i]);
      ++(nan ? all.nan_codes : all.numbers);
      if (all.first) continue;
      const auto at = static_cast<std::int64_t>(begin + i);
      all.first = {at / with_.shape.n, at % with_.shape.n, expected_[i], found[i]};
    }
  }

 private:
  [[nodiscard]] std::size_t offset(const region& r) const {
    return static_cast<std::size_t>(r.row * with_.shape.n + r.column);
  }

  void expect(const region& r, std::size_t begin) {
    expected_.resize(r.size());
    const std::int64_t k = with_.shape.k;
    mx::gemm(plan_, {r.rows, r.columns, k}, beginning_at(plan_.model, with_.a, r.row, k),
             beginning_at(plan_.model, with_.b, r.column, k),
             words_.c.empty() ? nullptr : words_.c.data() + begin, expected_.data());
  }

  const mx::gemm_plan& plan_;
  const product_operands& with_;
  const product_words& words_;
  std::vector<std::uint32_t> expected_;
};

constexpr std::int64_t first_columns = 64;
constexpr std::int64_t band_elements = std::int64_t{1} << 20;

/// Calls work(region) over D in row-major order until it returns false: a few elements of the first
/// row, the rest of it, then bands of rows, each four times the one before.
template <class Work>
void for_each_band(const mx::gemm_shape& shape, const Work& work) {
  const std::int64_t n = shape.n, head = std::min(n, first_columns);
  if (shape.m == 0 || n == 0) return;
  if (!work(region{0, 1, 0, head})) return;
  if (head < n && !work(region{0, 1, head, n - head})) return;
  std::int64_t rows = 4;
  for (std::int64_t row = 1; row < shape.m; row += rows, rows *= 4) {
    rows = std::clamp<std::int64_t>(band_elements / n, 1, rows);
    if (!work(region{row, std::min(rows, shape.m - row), 0, n})) return;
  }
}

}  // namespace

product_comparison compared(const mx::gemm_plan& plan, const product_operands& with,
                            const product_words& words, comparison_reach reach) {
  product_comparison all;
  product_reader reader(plan, with, words);
  for_each_band(with.shape, [&](const region& r) {
    reader.compare(r, all);
    return reach == comparison_reach::all || all.numbers == 0;
  });
  return all;
}

bool sample_agrees(const mx::gemm_plan& plan, const product_operands& with,
                   const product_words& words, std::span<const product_difference> seen) {
  constexpr std::int64_t samples = 64;
  const mx::gemm_shape& shape = with.shape;
  if (shape.m == 0 || shape.n == 0) return true;
  product_comparison all;
  product_reader reader(plan, with, words);
  for (std::size_t i = 0; i < seen.size() && all.is_equal(); ++i) {
    reader.compare({seen[i].row, 1, seen[i].column, 1}, all);
  }
  for (std::int64_t i = 0; i < samples && all.is_equal(); ++i) {
    // Rows from the first to the last; the column step shares no divisor with most sizes.
    const std::int64_t row = (shape.m - 1) * i / (samples - 1);
    reader.compare({row, 1, i * 37 % shape.n, 1}, all);
  }
  return all.is_equal();
}

}  // namespace golden::validator
