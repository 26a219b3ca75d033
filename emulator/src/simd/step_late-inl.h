// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/step_late-inl.h: steps in which C is added to the products' aligned sum in a
// stage of its own; included once for each target.
#if defined(MX_SIMD_STEP_LATE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_STEP_LATE_INL_H
#undef MX_SIMD_STEP_LATE_INL_H
#else
#define MX_SIMD_STEP_LATE_INL_H
#endif

#include "simd/step_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if HWY_TARGET != HWY_SCALAR
namespace step_kernel {

/// The lower or upper half of the lanes as binary64 numbers or 64-bit integers.
enum class half : std::uint8_t { low, high };

template <half H, class D, class Vec>
HWY_INLINE auto half_of(D /*d*/, Vec v) {
  const hn::Half<D> part;
  if constexpr (H == half::low) {
    return hn::LowerHalf(part, v);
  } else {
    return hn::UpperHalf(part, v);
  }
}
template <half H>
HWY_INLINE Vd widened_half(V v) {
  return hn::PromoteTo(F64(), half_of<H>(F32(), v));
}
template <half H>
HWY_INLINE Vd widened_half(Vi v) {
  return hn::PromoteTo(F64(), half_of<H>(I32(), v));
}
/// 2^exponent of a half.
///   exponent  in [-1022, 1023]
template <half H>
HWY_INLINE Vd wide_power(Vi exponent) {
  const I64 d;
  const auto biased = hn::Add(half_of<H>(I32(), exponent), hn::Set(hn::Half<I32>(), 1023));
  return hn::BitCast(F64(), hn::ShiftLeft<52>(hn::PromoteTo(d, biased)));
}

/// A window's sum of products: in units of 2^(exponent - window).
struct products_sum {
  Vi sum, exponent;

  /// Products first, first + stride, ... below fused.
  template <class P>
  static HWY_INLINE products_sum of(const step_rule& rule, const P& p, int v, int first, int stride,
                                    Vi& odd) {
    const I32 d;
    Vi top = p.exponent(first, v);
    for (int k = first + stride; k < rule.fused; k += stride) top = hn::Max(top, p.exponent(k, v));
    odd = hn::Or(odd, unsound_lanes(rule, top));
    const V unit = power(hn::Sub(hn::Set(d, rule.window), hn::Max(top, hn::Set(d, rule.least))));
    Vi sum = hn::Zero(d);
    for (int k = first; k < rule.fused; k += stride) {
      sum = hn::Add(sum, truncated(hn::Mul(p.value(k, v), unit)));
    }
    return {sum, top};
  }

  /// In the larger one's units, both cut downward.
  static HWY_INLINE products_sum both(const products_sum& x, const products_sum& y) {
    const I32 d;
    const Vi high = hn::Max(x.exponent, y.exponent), most = hn::Set(d, 31);
    const Vi down_x = hn::Min(hn::Sub(high, x.exponent), most);
    const Vi down_y = hn::Min(hn::Sub(high, y.exponent), most);
    return {hn::Add(hn::Shr(x.sum, down_x), hn::Shr(y.sum, down_y)), high};
  }
};

/// The largest multiple of a power of two that is not above x.
///   |x| below 2^51 times it
HWY_INLINE Vd floor_to(Vd x, Vd power) {
  const F64 d;
  const Vd raised = hn::Mul(power, hn::Set(d, 0x1.8p52));
  const Vd nearest = hn::Sub(hn::Add(x, raised), raised);
  return hn::Sub(nearest, hn::IfThenElseZero(hn::Gt(nearest, x), power));
}

/// C is added to the products' aligned sum, both cut downward; so is their sum, then rounded.
template <bool Pairs>
struct late_steps {
  /// The products' sum at the common exponent, in units of 2^(exponent - dot_bits).
  template <half H>
  static HWY_INLINE Vd sum_with_addend(const step_rule& rule, const products_sum& dot, V c,
                                       Vi exponent) {
    const I32 d;
    const F64 wide;
    const late_addend& late = rule.late;
    const Vi above = hn::Min(hn::Sub(exponent, dot.exponent), hn::Set(d, 900));
    const Vd places = wide_power<H>(hn::Sub(hn::Set(d, late.dot_bits - rule.window), above));
    const Vd one = hn::Set(wide, 1.0);
    const Vd products = hn::Floor(hn::Mul(widened_half<H>(dot.sum), places));
    const Vd addend = hn::Floor(hn::Mul(
        widened_half<H>(c), wide_power<H>(hn::Sub(hn::Set(d, late.addend_bits), exponent))));
    const double ratio = static_cast<double>(std::int64_t{1} << (late.dot_bits - late.addend_bits));
    const Vd sum = hn::Add(products, hn::Mul(addend, hn::Set(wide, ratio)));
    // The bits of a power of two at or below the sum.
    const Vd binade = hn::And(sum, hn::BitCast(wide, hn::Set(I64(), std::int64_t{0x7FF} << 52)));
    const double below = 1.0 / static_cast<double>(std::int64_t{1} << late.sum_bits);
    const Vd last = hn::Max(hn::Mul(binade, hn::Set(wide, below)), one);
    return hn::Mul(floor_to(sum, last),
                   wide_power<H>(hn::Sub(exponent, hn::Set(d, late.dot_bits))));
  }

  template <class P>
  static HWY_INLINE void add(const step_rule& rule, const P& p, sums_of_row& sums, odd_lanes& odd) {
    const I32 d;
    for (int v = 0; v < vectors; ++v) {
      products_sum dot = products_sum::of(rule, p, v, 0, Pairs ? 2 : 1, odd[v]);
      if constexpr (Pairs) {
        dot = products_sum::both(dot, products_sum::of(rule, p, v, 1, 2, odd[v]));
      }
      const Vi of_c = addend_exponents(rule, sums[v]);
      const Vi highest = hn::Max(dot.exponent, of_c);
      odd[v] = hn::Or(odd[v], unsound_lanes(rule, highest));
      const Vi exponent = hn::Max(highest, hn::Set(d, rule.least));
      const Vi end = hn::Sub(exponent, hn::Set(d, rule.late.addend_bits + 1));
      const auto far = hn::And(
          hn::Lt(of_c, end), hn::Eq(hn::Set(d, rule.late.far == far_addend::zero), hn::Set(d, 1)));
      const V c = hn::IfThenZeroElse(hn::RebindMask(F32(), far), sums[v]);
      sums[v] = narrowed({sum_with_addend<half::low>(rule, dot, c, exponent),
                          sum_with_addend<half::high>(rule, dot, c, exponent)});
    }
  }
};

}  // namespace step_kernel
#endif
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
