// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/fma_chain.h: where a chain of fused multiply-adds is not the sum of `fp32.fma`,
// and the sum that it is there. They differ in the bits of a NaN, and where a scale of zero makes
// -0 of a product that is none of -0s, to which the model gives the sign +: both sums stay zeros
// then, and become the same with the next product that is not -0, or with the next addition of
// another sum. So a sum that is not -0 at the end is the model's, whatever zeros it was before.
#pragma once
#include "gemm/fma_line.h"

namespace mx::kernels {

[[nodiscard]] MX_HD constexpr bool is_doubtful_chain(float sum) noexcept {
  return bits_of(sum) == 0x80000000;
}

/// The code of a sum: NaN as the model writes it.
[[nodiscard]] MX_HD constexpr std::uint32_t code_of_chain(const dot_model& model,
                                                          float sum) noexcept {
  const bool nan = (bits_of(sum) & 0x7FFFFFFF) > formats::binary32.infinity_code();
  return nan ? model.sum.nan_code : bits_of(sum);
}

/// What a sum and the total of all begin with.
struct fma_start {
  float sum = 0, total = 0;

  /// The first of several parts begins with C, and is added to -0, which changes nothing; sums that
  /// are promoted begin with +0 and are added to C.
  template <fma_sums S>
  [[nodiscard]] static MX_HD constexpr fma_start of(const gemm_plan& plan, float c) noexcept {
    if (S == fma_sums::promoted) return plan.parts > 1 ? fma_start{c, -0.0F} : fma_start{0.0F, c};
    return {c, 0.0F};
  }
};

/// The two lines of an element.
struct fma_lines_of_element {
  const fma_tables& tables;
  fma_line a, b;
  int block_bits;

  /// The chain over k in [first, end) with the model's signs of zeros. Equals mx::dot, but for
  /// NaN's bits.
  [[nodiscard]] MX_HD float chain(int first, int end, float sum) const noexcept {
    for (int k = first; k < end; ++k) {
      const float x = tables.element[0][a.code(k)], y = tables.element[1][b.code(k)];
      const float left = x * tables.scale[a.scales[k >> block_bits]];
      const float right = y * tables.scale[b.scales[k >> block_bits]];
      sum = fused_multiply_add(left, right, sum);
      const bool vanished = x != 0 && y != 0 && (left == 0 || right == 0);
      if (vanished && sum == 0) sum = 0.0F;
    }
    return sum;
  }
};

/// A doubtful sum once more. Equals mx::gemm_sum, but for NaN's bits.
template <fma_sums S>
[[nodiscard]] MX_HD float sum_of_chain(const fma_arguments& to, const fma_lines_of_element& lines,
                                       float c) noexcept {
  const auto k = static_cast<int>(to.product.shape.k);
  fma_start start = fma_start::of<S>(to.product.plan, c);
  if constexpr (S == fma_sums::plain) {
    return lines.chain(0, k, start.sum);
  } else {
    for (int first = 0; first < k; first += to.span) {
      const int end = k - first < to.span ? k : first + to.span;
      start.total = start.total + lines.chain(first, end, start.sum);
      start.sum = 0.0F;
    }
    return start.total;
  }
}

}  // namespace mx::kernels
