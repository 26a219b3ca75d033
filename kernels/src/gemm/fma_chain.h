// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/fma_chain.h: where a chain of fused multiply-adds differs from the sum of
// `fp32.fma`, and the correct sum there. They differ in the bits of a NaN, and where a scale of
// zero turns a nonzero product of elements into -0, to which the model gives the sign +: both sums
// then stay zeros, and become equal at the next product that is not -0, or at the next addition of
// another sum. So a sum that does not end as -0 is the model's, even if it was a zero in between.
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

/// Initial values of a sum and of the total.
struct fma_start {
  float sum = 0, total = 0;

  /// The first of several parts starts with C, and is added to -0, which changes nothing; promoted
  /// sums start with +0 and are added to C.
  template <fma_sums S>
  [[nodiscard]] static MX_HD constexpr fma_start of(const gemm_plan& plan, float c) noexcept {
    if (S == fma_sums::promoted) return plan.split_k > 1 ? fma_start{c, -0.0F} : fma_start{0.0F, c};
    return {c, 0.0F};
  }
};

/// The two lines of an element.
struct fma_lines_of_element {
  const fma_tables& tables;
  fma_line a, b;
  int block_bits;

  /// The chain over k in [first, end) with the model's signs of zeros. Equals mx::dot, except for
  /// NaN bits.
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

/// Recomputes a doubtful sum. Equals mx::gemm_sum, except for NaN bits.
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
