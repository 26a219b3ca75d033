// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/step_tile-inl.h: chains of steps of a tile of outputs;
// included once for each target.
#if defined(MX_SIMD_STEP_TILE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_STEP_TILE_INL_H
#undef MX_SIMD_STEP_TILE_INL_H
#else
#define MX_SIMD_STEP_TILE_INL_H
#endif

#include "simd/step_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if HWY_TARGET != HWY_SCALAR
namespace step_kernel {

/// Replaces the odd lanes of a row of sums, which still has the sums before the step.
HWY_NOINLINE inline void replace_odd(const step_sums& to, int row, int unit, const odd_lanes& odd,
                                     sums_of_row& sums) {
  HWY_ALIGN std::int32_t is_odd[columns];
  HWY_ALIGN float after[columns];
  for (int v = 0; v < vectors; ++v) {
    hn::Store(odd[v], I32(), is_odd + v * lanes);
    hn::Store(sums[v], F32(), after + v * lanes);
  }
  for (int j = 0; j < columns; ++j) {
    if (is_odd[j] < 0) after[j] = to.odd(row, j, unit, to.values[row * columns + j]);
  }
  for (int v = 0; v < vectors; ++v) sums[v] = hn::Load(F32(), after + v * lanes);
}

/// One unit of one row.
template <class Steps, class P>
HWY_INLINE void add_unit(const step_rule& rule, const P& p, int row, int unit,
                         const step_sums& to) {
  const I32 d;
  float* values = to.values + row * columns;
  sums_of_row sums;
  odd_lanes odd;
#pragma GCC unroll 2
  for (int v = 0; v < vectors; ++v) {
    sums[v] = hn::Load(F32(), values + v * lanes);
    odd[v] = hn::Zero(d);
  }
  Steps::add(rule, p, sums, odd);
  Vi any = odd[0];
  for (int v = 1; v < vectors; ++v) any = hn::Or(any, odd[v]);
  if (HWY_UNLIKELY(!hn::AllFalse(d, hn::Lt(any, hn::Zero(d))))) {
    replace_odd(to, row, unit, odd, sums);
  }
#pragma GCC unroll 2
  for (int v = 0; v < vectors; ++v) hn::Store(sums[v], F32(), values + v * lanes);
}

template <class Steps>
void add_rows(const step_rule& rule, step_slice a, step_slice b, int rows, int units,
              const step_sums& to) {
  for (int u = 0; u < units; ++u) {
    for (int row = 0; row < rows; ++row) {
      const int at = row * rule.unit;
      const step_products<shared_row> p{a.values + at, b.values,       a.exponents + at,
                                        b.exponents,   a.scales + row, b.scales};
      add_unit<Steps>(rule, p, row, u, to);
    }
    a.values += step_kernels::most_rows * rule.unit;
    a.exponents += step_kernels::most_rows * rule.unit;
    b.values += columns * rule.unit;
    b.exponents += columns * rule.unit;
    if (!rule.has_scales) continue;
    a.scales += step_kernels::most_rows;
    b.scales += columns;
  }
}

template <class Steps>
void add_words(const step_rule& rule, step_slice a, step_slice b, int units, const step_sums& to) {
  for (int u = 0; u < units; ++u) {
    const int at = u * columns * rule.unit, scales_at = rule.has_scales ? u * columns : 0;
    const step_products<own_rows> p{a.values + at,    b.values + at,        a.exponents + at,
                                    b.exponents + at, a.scales + scales_at, b.scales + scales_at};
    add_unit<Steps>(rule, p, 0, u, to);
  }
}

}  // namespace step_kernel
#endif
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
