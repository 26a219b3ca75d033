// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/step_exact-inl.h: steps in which nothing is cut before one rounding;
// included once for each target.
#if defined(MX_SIMD_STEP_EXACT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_STEP_EXACT_INL_H
#undef MX_SIMD_STEP_EXACT_INL_H
#else
#define MX_SIMD_STEP_EXACT_INL_H
#endif

#include "simd/step_late-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if HWY_TARGET != HWY_SCALAR
namespace step_kernel {

/// A sum of binary64 numbers and the sum of what its roundings lost.
/// Source: Knuth, TAOCP 2, 4.2.2, theorem B (the error of an addition).
struct sum_with_error {
  Vd sum, error;
  Vd lost;  ///< sum of the errors' magnitudes

  HWY_INLINE void add(Vd x) {
    const Vd all = hn::Add(sum, x);
    const Vd of_x = hn::Sub(all, sum);
    const Vd one = hn::Add(hn::Sub(sum, hn::Sub(all, of_x)), hn::Sub(x, of_x));
    error = hn::Add(error, one);
    lost = hn::Add(lost, hn::Abs(one));
    sum = all;
  }
  HWY_INLINE void scale(Vd power) {
    sum = hn::Mul(sum, power);
    error = hn::Mul(error, power);
    lost = hn::Mul(lost, power);
  }
};

/// The exact sum cut to 53 bits, of which the last is set where anything was lost: rounding it to
/// binary32 rounds the exact sum.
struct sum_with_last_bit {
  Vd sum;
  Vd odd;  ///< all bits set where the errors' sum does not say on which side of `sum` it lies

  static HWY_INLINE sum_with_last_bit of(sum_with_error all) {
    const F64 d;
    const I64 i;
    const Vd lost = all.lost, zero = hn::Zero(d), rest = all.error;
    all.error = zero;
    all.add(rest);
    const auto sum = hn::BitCast(i, all.sum);
    const auto none = hn::Eq(all.error, zero);
    // At most 64 errors, each in its addition cut by 2^-53 of their magnitudes' sum.
    const auto unclear =
        hn::And(hn::Le(hn::Abs(all.error), hn::Mul(lost, hn::Set(d, 0x1p-46))), hn::Ne(lost, zero));
    // An even sum moves by one toward the error: away from zero where their signs agree.
    const auto apart = hn::BroadcastSignBit(hn::Xor(sum, hn::BitCast(i, all.error)));
    const auto one = hn::Set(i, 1);
    const auto step = hn::Or(apart, one);  // 1 or -1
    const auto moved = hn::Add(sum, hn::And(step, hn::Sub(hn::And(sum, one), one)));
    const Vd result = hn::IfThenElse(none, all.sum, hn::BitCast(d, moved));
    return {result, hn::VecFromMask(d, unclear)};
  }
};

/// Exact sums of products and C, rounded to nearest once.
struct exact_sum_steps {
  template <half H, class P>
  static HWY_INLINE sum_with_last_bit half_sum(const step_rule& rule, const P& p, int v, V c) {
    const F64 d;
    sum_with_error all{hn::Zero(d), hn::Zero(d), hn::Zero(d)};
    for (int k = 0; k < rule.unit; ++k) {
      all.add(hn::Mul(widened_half<H>(p.value_a(k, v)), widened_half<H>(p.value_b(k, v))));
    }
    if (rule.has_scales) all.scale(wide_power<H>(p.scale(v)));
    all.add(widened_half<H>(c));
    return sum_with_last_bit::of(all);
  }

  /// Negative where C is -0, which an earlier step may have been rounded to: the sums here begin at
  /// +0, and a sum of zeros is -0 where all of them are.
  static HWY_INLINE Vi negative_zeros(V c) {
    const I32 d;
    return hn::VecFromMask(d, hn::Eq(hn::BitCast(d, c), hn::Set(d, ~magnitude_mask)));
  }

  template <class P>
  static HWY_INLINE void add(const step_rule& rule, const P& p, sums_of_row& sums, odd_lanes& odd) {
    for (int v = 0; v < vectors; ++v) {
      odd[v] = hn::Or(odd[v], negative_zeros(sums[v]));
      const sum_with_last_bit low = half_sum<half::low>(rule, p, v, sums[v]);
      const sum_with_last_bit high = half_sum<half::high>(rule, p, v, sums[v]);
      sums[v] = narrowed({low.sum, high.sum});
      // Masks as numbers: NaN where set.
      const V unclear = narrowed({low.odd, high.odd});
      odd[v] = hn::Or(hn::Or(odd[v], lanes_above(unclear, 0x7F7FFFFF)),
                      lanes_above(sums[v], 0x7F7FFFFF));
    }
  }
};

}  // namespace step_kernel
#endif
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
