// SPDX-License-Identifier: Apache-2.0
// mx/tensor/fused-inl.h: the fused multiply-add of every target; included once for each.
#include <cmath>

#if defined(MX_SIMD_FUSED_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_FUSED_INL_H
#undef MX_SIMD_FUSED_INL_H
#else
#define MX_SIMD_FUSED_INL_H
#endif

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {

/// RNE32(a * b + c) in every lane. Highway's MulAdd rounds twice where the hardware has no FMA.
template <class V>
HWY_INLINE V fused(V a, V b, V c) {
#if HWY_NATIVE_FMA
  return hwy::HWY_NAMESPACE::MulAdd(a, b, c);
#else
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::DFromV<V> d;
  using T = hn::TFromV<V>;
  constexpr std::size_t lanes = hn::MaxLanes(hn::DFromV<V>());
  HWY_ALIGN T left[lanes];
  HWY_ALIGN T right[lanes];
  HWY_ALIGN T sum[lanes];
  hn::Store(a, d, left);
  hn::Store(b, d, right);
  hn::Store(c, d, sum);
  for (std::size_t i = 0; i < lanes; ++i) sum[i] = std::fma(left[i], right[i], sum[i]);
  return hn::Load(d, sum);
#endif
}

}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
