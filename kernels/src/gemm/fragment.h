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
/// Sums of products as steps take them: see row_scaled.
template <class Sum = std::int32_t>
struct fragment_sums {
  Sum of[4];
};

/// A block under `fp32.sequential`.
template <class Sum>
MX_HD void add_to_fragment(float (&acc)[4], const fragment_sums<Sum>& sum, const row_factors& rows,
                           const column_factors& columns) noexcept {
  unrolled<4>([&](int r) {
    acc[r] = sequential_step(acc[r], sum.of[r], rows.of[r / 2], columns.of[r % 2]);
  });
}

/// The same of folded sums (gemm/folded_scales.h) of lines with one factor.
MX_HD inline void add_to_fragment(float (&acc)[4], const fragment_sums<float>& sum,
                                  float factor) noexcept {
  unrolled<4>([&](int r) { acc[r] = fused_multiply_add(sum.of[r], factor, acc[r]); });
}

/// Two blocks under `blackwell.mxf4`, unless one of the sums needs the core: then nothing is added
/// to any of them.
template <class Sum>
[[nodiscard]] MX_HD bool add_to_fragment(float (&acc)[4], const fragment_sums<Sum> (&sum)[2],
                                         const row_factors (&rows)[2],
                                         const column_factors (&columns)[2],
                                         const fused_window& window) noexcept {
  bool is_rare = false;
  float step[4];
  unrolled<4>([&](int r) {
    is_rare = is_rare | window.needs_core(acc[r]);
    const Sum both[2] = {sum[0].of[r], sum[1].of[r]};
    const row_factor row[2] = {rows[0].of[r / 2], rows[1].of[r / 2]};
    const float column[2] = {columns[0].of[r % 2], columns[1].of[r % 2]};
    step[r] = fused_sum(both, row, column);
  });
  unrolled<4>([&](int r) { acc[r] = is_rare ? acc[r] : added_toward_zero(acc[r], step[r]); });
  return !is_rare;
}

}  // namespace mx::kernels
