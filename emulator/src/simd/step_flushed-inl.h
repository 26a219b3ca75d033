// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/step_flushed-inl.h: steps of FP32 products and sums without subnormals;
// included once for each target.
#if defined(MX_SIMD_STEP_FLUSHED_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_STEP_FLUSHED_INL_H
#undef MX_SIMD_STEP_FLUSHED_INL_H
#else
#define MX_SIMD_STEP_FLUSHED_INL_H
#endif

#include "simd/step_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if HWY_TARGET != HWY_SCALAR
namespace step_kernel {

/// FP32 products, added in pairs, then to C; subnormal results are zeros with their sign.
struct flushed_steps {
  static HWY_INLINE V flushed(V x) {
    const F32 d;
    const V sign = hn::BitCast(d, hn::And(hn::BitCast(I32(), x), hn::Set(I32(), ~magnitude_mask)));
    return hn::IfThenElse(hn::Lt(hn::Abs(x), hn::Set(d, 0x1p-126F)), sign, x);
  }
  static HWY_INLINE V added(V x, V y) { return flushed(hn::Add(x, y)); }

  template <class P>
  static HWY_INLINE void add(const step_rule& rule, const P& p, sums_of_row& sums, odd_lanes& odd) {
    const auto pair = [&](int k, int v) {
      return added(flushed(p.value(k, v)), flushed(p.value(k + 1, v)));
    };
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      V all = pair(0, v);
      if (rule.unit == 4) all = added(all, pair(2, v));
      sums[v] = added(sums[v], all);
      odd[v] = hn::Or(odd[v], lanes_above(sums[v], 0x7F7FFFFF));
    }
  }
};

}  // namespace step_kernel
#endif
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
