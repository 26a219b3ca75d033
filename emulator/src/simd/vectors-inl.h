// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/vectors-inl.h: a vector of FP32 numbers, and two of as many binary64 numbers;
// included once for each target.
#if defined(MX_SIMD_VECTORS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_VECTORS_INL_H
#undef MX_SIMD_VECTORS_INL_H
#else
#define MX_SIMD_VECTORS_INL_H
#endif

#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using F32 = hn::CappedTag<float, 16>;
using I32 = hn::RebindToSigned<F32>;
using U32 = hn::RebindToUnsigned<F32>;
using V = hn::Vec<F32>;
using Vi = hn::Vec<I32>;
using Vu = hn::Vec<U32>;
constexpr int lanes = static_cast<int>(hn::MaxLanes(F32()));

constexpr int magnitude_mask = 0x7FFFFFFF;

HWY_INLINE Vi load_bits(const float* x) { return hn::BitCast(I32(), hn::LoadU(F32(), x)); }

/// The largest lane, in all lanes.
HWY_INLINE Vi largest_lane(Vi v) { return hn::MaxOfLanes(I32(), v); }

#if HWY_TARGET != HWY_SCALAR

using F32Half = hn::Half<F32>;
using F64 = hn::Rebind<double, F32Half>;
using I64 = hn::RebindToSigned<F64>;
using U64 = hn::RebindToUnsigned<F64>;
using Vd = hn::Vec<F64>;

/// As many binary64 numbers as a vector has lanes.
struct doubles {
  Vd low, high;
};

/// The same numbers.
HWY_INLINE doubles widened(V v) {
  const F64 d;
  return {hn::PromoteTo(d, hn::LowerHalf(v)), hn::PromoteTo(d, hn::UpperHalf(F32Half(), v))};
}

/// RNE32 of each.
HWY_INLINE V narrowed(const doubles& v) {
  const F32Half half;
  return hn::Combine(F32(), hn::DemoteTo(half, v.high), hn::DemoteTo(half, v.low));
}

#endif

}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
