// SPDX-License-Identifier: Apache-2.0
// sim/policy/vector_math-inl.h: exp, log, sine and lane sums on vectors; included once a target.
#include "mx/tensor/fused-inl.h"

#if defined(SIM_VECTOR_MATH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SIM_VECTOR_MATH_INL_H
#undef SIM_VECTOR_MATH_INL_H
#else
#define SIM_VECTOR_MATH_INL_H
#endif

HWY_BEFORE_NAMESPACE();
namespace sim::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 16>;
using DI = hn::RebindToSigned<D>;
using V = hn::Vec<D>;
using VI = hn::Vec<DI>;
constexpr int lanes = static_cast<int>(hn::MaxLanes(D()));
/// Number of vectors that hold 16 virtual lanes.
constexpr int parts = 16 / lanes;
using mx::HWY_NAMESPACE::fused;

HWY_INLINE V set(float value) { return hn::Set(D(), value); }
HWY_INLINE V load(const float* p) { return hn::LoadU(D(), p); }
HWY_INLINE void store(V v, float* p) { hn::StoreU(v, D(), p); }

/// c0 + x (c1 + x (c2 + ...)), one fused operation a term.
template <std::size_t N>
HWY_INLINE V polynomial(V x, const float (&c)[N]) {
  V sum = set(c[N - 1]);
  for (std::size_t i = N - 1; i > 0; --i) sum = fused(sum, x, set(c[i - 1]));
  return sum;
}

/// e^x: x = n ln 2 + r with |r| <= ln 2 / 2, e^r by its series up to r^7, then 2^n in two factors
/// so that results below the normal range round once more and reach zero. NaN gives NaN.
HWY_INLINE V exponential_of(V x) {
  const D d;
  const DI di;
  const V bounded = hn::Min(hn::Max(x, set(-110.0F)), set(89.0F));
  const V anchor = set(0x1.8p23F);
  const V n = hn::Sub(fused(bounded, set(0x1.715476p0F), anchor), anchor);
  V r = fused(n, set(-0x1.62e4p-1F), bounded);  // ln 2, upper bits: n times it is exact
  r = fused(n, set(-0x1.7f7d1cp-20F), r);       // ln 2, the rest
  const V series = polynomial(r, {1.0F, 1.0F, 0x1p-1F, 0x1.555556p-3F, 0x1.555556p-5F,
                                  0x1.111112p-7F, 0x1.6c16c2p-10F, 0x1.a01a02p-13F});
  const VI whole = hn::ConvertTo(di, n);
  const VI first = hn::ShiftRight<1>(whole);
  const VI second = hn::Sub(whole, first);
  const VI bias = hn::Set(di, 127);
  const V low = hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(first, bias)));
  const V high = hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(second, bias)));
  return hn::IfThenElse(hn::Eq(x, x), hn::Mul(hn::Mul(series, low), high), x);
}

/// ln x for positive normal x: x = 2^e m with m in [2/3, 4/3), ln m = 2 atanh((m - 1) / (m + 1)).
HWY_INLINE V logarithm_of(V x) {
  const D d;
  const DI di;
  const VI bits = hn::BitCast(di, x);
  const VI offset = hn::Sub(bits, hn::Set(di, 0x3F2AAAAB));  // 2/3
  const VI exponent = hn::ShiftRight<23>(offset);
  const V m = hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<23>(exponent)));
  const V e = hn::ConvertTo(d, exponent);
  const V f = hn::Sub(m, set(1.0F));
  const V s = hn::Div(f, hn::Add(m, set(1.0F)));
  const V z = hn::Mul(s, s);
  const V series = polynomial(
      z, {0x1.555556p-1F, 0x1.99999ap-2F, 0x1.24924ap-2F, 0x1.c71c72p-3F, 0x1.745d18p-3F});
  // ln m = f - s (f - z series ...): 2 s = f - s f, which keeps the leading term exact.
  const V tail = hn::Mul(s, hn::Sub(hn::Mul(z, series), f));
  const V low = fused(e, set(0x1.7f7d1cp-20F), tail);
  return fused(e, set(0x1.62e4p-1F), hn::Add(f, low));
}

/// The 16 virtual lanes of a sum.
struct lane_sum {
  V part[parts];
  HWY_INLINE lane_sum() {
    for (V& p : part) p = hn::Zero(D());
  }
  /// Sum over the fixed tree.
  HWY_INLINE float total() const {
    HWY_ALIGN float lane[16];
    for (int p = 0; p < parts; ++p) hn::Store(part[p], D(), lane + p * lanes);
    for (int distance = 8; distance > 0; distance /= 2) {
      for (int i = 0; i < distance; ++i) lane[i] += lane[i + distance];
    }
    return lane[0];
  }
};

/// sum a b over `count` elements, lane by lane with fused operations.
HWY_INLINE float dot(int count, const float* a, const float* b) {
  lane_sum sum;
  for (int i = 0; i < count; i += 16) {
    for (int p = 0; p < parts; ++p) {
      const int at = i + p * lanes;
      sum.part[p] = fused(load(a + at), load(b + at), sum.part[p]);
    }
  }
  return sum.total();
}

}  // namespace sim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
