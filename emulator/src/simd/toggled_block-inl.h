// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/toggled_block-inl.h: E2M1 blocks, one in each lane, with some parts of the
// error switched off; included once for each target.
#if defined(MX_SIMD_TOGGLED_BLOCK_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_TOGGLED_BLOCK_INL_H
#undef MX_SIMD_TOGGLED_BLOCK_INL_H
#else
#define MX_SIMD_TOGGLED_BLOCK_INL_H
#endif

#include "mx/tensor/operand.h"
#include "simd/grid-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if HWY_NATIVE_FMA

/// The doubled element g of Q*, one of 0, 1, 2, 3, 4, 6, 8, 12, as a binary32 number.
/// The j-th step is taken where |x| > m_j amax / 6 (or >=, where the tie goes up). A binary32 |x|
/// and m_j amax / 6 are equal or differ by more than 2^-30 of their size, so moving the bound by
/// 2^-40 turns both kinds of tie into a plain comparison, and neither its two roundings nor the
/// cut of the bound to binary32 can change a decision.
struct ideal_bounds {
  Vi bound[7];

  HWY_INLINE explicit ideal_bounds(V amax) {
    constexpr double quarters[7] = {1, 3, 5, 7, 10, 14, 20};
    const doubles m = widened(amax);
    for (int j = 0; j < 7; ++j) {
      const double nudge = j % 2 == 0 ? 1 + 0x1p-40 : 1 - 0x1p-40;
      const Vd step = hn::Set(F64(), quarters[j] / 24 * nudge);
      bound[j] = cut({hn::Mul(m.low, step), hn::Mul(m.high, step)});
    }
  }

  /// Bit patterns of the largest binary32 numbers that are not above the bounds.
  static HWY_INLINE Vi cut(const doubles& exact) {
    const V nearest = narrowed(exact);
    const doubles back = widened(nearest);
    const F64 d;
    const V above = narrowed({hn::IfThenElseZero(hn::Gt(back.low, exact.low), hn::Set(d, 1)),
                              hn::IfThenElseZero(hn::Gt(back.high, exact.high), hn::Set(d, 1))});
    const I32 di;
    // 1.0f has its exponent's lowest bit at position 23; shifted down that is a one.
    const Vi one = hn::And(hn::ShiftRight<23>(hn::BitCast(di, above)), hn::Set(di, 1));
    return hn::Sub(hn::BitCast(di, nearest), one);
  }

  HWY_INLINE V doubled_element(V magnitude) const {
    constexpr float steps[7] = {1, 1, 1, 1, 2, 2, 4};
    const F32 d;
    const Vi bits = hn::BitCast(I32(), magnitude);
    V sum = hn::Zero(d);
    for (int j = 0; j < 7; ++j) {
      const auto passed = hn::RebindMask(d, hn::Gt(bits, bound[j]));
      sum = hn::Add(sum, hn::IfThenElseZero(passed, hn::Set(d, steps[j])));
    }
    return sum;
  }
};

/// A quantizer with some parts of its error switched off; equals mx::inject and mx::operate.
struct toggled_block {
  Vi field;
  V amax, six_scales;
  grid<F32> elements;
  ideal_bounds ideal;
  bool injected, with_scale, with_deadzone, with_grid, with_clip;

  HWY_INLINE toggled_block(const operand& f, Vi scale, V largest)
      : field(scale),
        amax(largest),
        six_scales(hn::BitCast(F32(), hn::Add(field, hn::Set(I32(), (2 << 23) | 0x400000)))),
        elements(formats::e2m1),
        ideal(largest),
        injected(f.toggle == toggle::injection),
        with_scale(contains(f.parts, component::scale)),
        with_deadzone(contains(f.parts, component::deadzone)),
        with_grid(contains(f.parts, component::grid)),
        with_clip(contains(f.parts, component::clip)) {}

  HWY_INLINE V operator()(V x) const {
    const F32 d;
    const V magnitude = hn::Abs(x);
    const V quantized = elements.nearest_value(magnitude, field);
    const V doubled = ideal.doubled_element(magnitude);
    // RNE32(amax g / 12): 12 / g is exact, so the last division is the only rounding.
    const V rounded = hn::Div(amax, hn::Div(hn::Set(d, 12), doubled));
    const auto clipped = hn::Gt(magnitude, six_scales);
    if (injected) return inject_parts(x, magnitude, quantized, doubled, rounded, clipped);
    return operate_parts(x, quantized, doubled, rounded, clipped);
  }

 private:
  static HWY_INLINE auto mask(bool on) {
    return hn::Ne(hn::Set(F32(), on ? 1.0F : 0.0F), hn::Zero(F32()));
  }

  template <class M>
  HWY_INLINE V inject_parts(V x, V magnitude, V quantized, V doubled, V rounded, M clipped) const {
    const F32 d;
    const auto dead = hn::Eq(doubled, hn::Zero(d));
    const auto first =
        hn::Or(hn::And(clipped, mask(with_clip)), hn::AndNot(clipped, mask(with_scale)));
    const auto second =
        hn::Or(hn::And(dead, mask(with_deadzone)), hn::AndNot(dead, mask(with_grid)));
    V result = magnitude;
    if (with_scale || with_clip) {
      result = hn::IfThenElse(first, shifted(magnitude, quantized, doubled), result);
    }
    result = hn::IfThenElse(second, hn::IfThenElse(first, quantized, rounded), result);
    // A result whose sign differs from that of x is negative here; a zero takes the sign of x.
    const V flipped = hn::Xor(result, hn::And(x, hn::Set(d, -0.0F)));
    return hn::IfThenElse(hn::Eq(result, hn::Zero(d)), hn::CopySign(hn::Zero(d), x), flipped);
  }

  /// RNE32(|x| + Q - Q*) from the exact numerator over 12. The numerator is an integer of at most
  /// 34 bits in units of x. If 12 divides it the quotient is exact in binary64; otherwise it is at
  /// least 2^-40 of its size away from every binary32 number and every midpoint, because a third of
  /// an integer is, so the first rounding cannot move it onto one.
  HWY_INLINE V shifted(V magnitude, V quantized, V doubled) const {
    const doubles x = widened(magnitude), q = widened(quantized), g = widened(doubled);
    const doubles m = widened(amax);
    return narrowed({twelfth(x.low, q.low, g.low, m.low), twelfth(x.high, q.high, g.high, m.high)});
  }
  static HWY_INLINE Vd twelfth(Vd x, Vd quantized, Vd doubled, Vd largest) {
    const Vd twelve = hn::Set(F64(), 12);
    const Vd sum = hn::Mul(twelve, hn::Add(x, quantized));
    return hn::Div(hn::Sub(sum, hn::Mul(largest, doubled)), twelve);
  }

  template <class M>
  HWY_INLINE V operate_parts(V x, V quantized, V doubled, V rounded, M clipped) const {
    const F32 d;
    const auto zeroed = hn::Eq(with_scale ? quantized : doubled, hn::Zero(d));
    const V value = hn::CopySign(with_scale ? quantized : rounded, x);
    V kept = with_grid ? value : x;
    if (with_scale) kept = hn::IfThenElse(clipped, value, kept);
    return hn::IfThenElse(zeroed, with_deadzone ? hn::CopySign(hn::Zero(d), x) : x, kept);
  }
};

#endif  // HWY_NATIVE_FMA
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
