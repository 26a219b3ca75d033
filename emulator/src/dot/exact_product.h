// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/exact_product.h: elements of D = A B + C in which no model rounds or cuts
// anything, as exact sums; the others by the core. Equals core_product on every element.
// If terms are multiples of 2^u and their magnitudes, with C's, sum to less than 2^(u + p), all
// their sums and partial sums, in any order, are numbers of p bits. With p the bits of the formats
// in which a model stores sums, no rounding changes one; if the window of every step reaches down
// to 2^u, no term is cut. Such a sum equals that of `fp32.fma`, which has kernels.
#pragma once
#include "dot/exact_lines.h"
#include "dot/gemm_product.h"

namespace mx {

/// B's lines, and the numbers of both factors.
class exact_right {
 public:
  exact_right(const dot_model& model, const gemm_operand& b, std::int64_t n, std::int64_t k)
      : of_a_(model, model.a), of_b_(model, model.b), lines_(of_b_, b, n, k) {}
  exact_right(const exact_right&) = delete;
  exact_right& operator=(const exact_right&) = delete;

  [[nodiscard]] const exact_numbers& numbers_of_a() const { return of_a_; }
  [[nodiscard]] const exact_lines& lines() const { return lines_; }

 private:
  exact_numbers of_a_, of_b_;
  exact_lines lines_;
};

class exact_product {
 public:
  static constexpr gemm_task task = core_product::task;

  exact_product(const core_product& by_core, const exact_right& right);

  /// Whether any element's sum is exact without C.
  [[nodiscard]] bool is_useful() const;

  /// As core_product::add.
  void add(const gemm_region& region, std::int64_t first, std::int64_t count,
           std::uint32_t* sums) const;

 private:
  /// Whether the element is exact with the initial value `start`.
  [[nodiscard]] bool is_exact(const exact_line& a, const exact_line& b,
                              const unpacked& start) const;
  /// Exact sums of the region's products; unspecified where they are not exact.
  [[nodiscard]] std::vector<float> products(const gemm_region& region, std::int64_t first,
                                            std::int64_t count) const;

  const core_product& by_core_;
  exact_lines left_;
  const exact_lines& right_;
  int bits_, window_, least_exponent_, lowest_unit_, highest_;
};

/// Whether a product is large enough that inspecting its lines costs less than its elements.
[[nodiscard]] bool is_worth_looking(const gemm_shape& shape);

}  // namespace mx
