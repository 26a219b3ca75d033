// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/fragment.h: operations of a thread on its four sums of a fragment of D, 16 by 8,
// as all matrix instructions on bytes lay them out: sum r is in row r / 2 and column r % 2 of the
// thread's two of each.
#pragma once
#include "gemm/steps.h"
#include "unrolled.h"

namespace mx::kernels {

/// Factors of one block of k.
struct row_factors {
  row_factor of[2];
};
struct column_factors {
  float of[2];
};
struct fragment_factors {
  row_factors rows;
  column_factors columns;

  /// The sum r of a block, times its scales.
  template <class Sum>
  [[nodiscard]] MX_HD float scaled(Sum sum, int r) const noexcept {
    return row_scaled(sum, rows.of[r / 2]) * columns.of[r % 2];
  }
  /// The same added to acc, rounded once.
  template <class Sum>
  [[nodiscard]] MX_HD float added(float acc, Sum sum, int r) const noexcept {
    return sequential_step(acc, sum, rows.of[r / 2], columns.of[r % 2]);
  }
};
/// Sums of products as steps take them: see row_scaled.
template <class Sum = std::int32_t>
struct fragment_sums {
  Sum of[4];
};

/// A block under `fp32.sequential`.
///   Factors  fragment_factors or common_factor
template <class Sum, class Factors>
MX_HD void add_to_fragment(float (&acc)[4], const fragment_sums<Sum>& sum,
                           const Factors& factors) noexcept {
  unrolled<4>([&](int r) { acc[r] = factors.added(acc[r], sum.of[r], r); });
}

/// Two blocks under `blackwell.mxf4`, unless one of the sums needs the core: then nothing is added
/// to any of them. Adds fused_sum.
template <class Sum, class Factors>
[[nodiscard]] MX_HD bool add_to_fragment(float (&acc)[4], const fragment_sums<Sum> (&sum)[2],
                                         const Factors (&factors)[2],
                                         const fused_window& window) noexcept {
  bool is_rare = false;
  float step[4];
  unrolled<4>([&](int r) {
    is_rare = is_rare | window.needs_core(acc[r]);
    step[r] = factors[1].added(factors[0].scaled(sum[0].of[r], r), sum[1].of[r], r);
  });
  unrolled<4>([&](int r) { acc[r] = is_rare ? acc[r] : added_toward_zero(acc[r], step[r]); });
  return !is_rare;
}

}  // namespace mx::kernels
