// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/factored_block-inl.h: MXFP4 blocks under the factor of a macro block; included
// once for each target.
#if defined(MX_SIMD_FACTORED_BLOCK_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_FACTORED_BLOCK_INL_H
#undef MX_SIMD_FACTORED_BLOCK_INL_H
#else
#define MX_SIMD_FACTORED_BLOCK_INL_H
#endif

#include "simd/grid-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if HWY_NATIVE_FMA

/// The same as the other to_grid in binary64, for E2M1, whose smallest binade is that of the power.
HWY_INLINE W to_grid(W magnitude, Wi exponent_field) {
  const F64 d;
  const I64 di;
  const Wi binade = hn::And(hn::BitCast(di, magnitude), hn::Set(di, 0x7FF0000000000000));
  const Wi larger = hn::IfThenElse(hn::Gt(binade, exponent_field), binade, exponent_field);
  const W anchor =
      hn::BitCast(d, hn::Add(larger, hn::Set(di, (std::int64_t{51} << 52) | 0x8000000000000)));
  const W largest = hn::BitCast(
      d, hn::Add(exponent_field, hn::Set(di, (std::int64_t{2} << 52) | 0x8000000000000)));
  return hn::Min(hn::Sub(hn::Add(magnitude, anchor), anchor), largest);
}

/// The factor of a macro block, and f times amax exactly. Equals mx::macro_factor_of.
struct macro {
  V factor;
  wide wide_factor;

  HWY_INLINE macro(int bits, V amax) {
    const F32 d;
    const wide m = widen(hn::IfThenElse(hn::Eq(amax, hn::Zero(d)), hn::Set(d, 6.0F), amax));
    wide_factor = {of(bits, m.low), of(bits, m.high)};
    factor = narrow(wide_factor.low, wide_factor.high);
  }

 private:
  /// floor(6 * 2^(bits + k) / amax) / 2^bits. The quotient is an integer or at least 2^-24 away
  /// from one, so rounding it to binary64 does not change its floor.
  static HWY_INLINE W of(int bits, W amax) {
    const F64 d;
    const I64 di;
    constexpr std::int64_t half = std::int64_t{1} << 51;
    const Wi raised = hn::Add(hn::BitCast(di, amax), hn::Set(di, half - 1));
    const Wi field = hn::And(raised, hn::Set(di, 0x7FF0000000000000));  // of 4 * 2^k
    const W six = hn::BitCast(d, hn::Or(field, hn::Set(di, half)));
    const double unit = 1.0 / static_cast<double>(std::int64_t{1} << bits);
    const W whole = hn::Floor(hn::Div(hn::Mul(six, hn::Set(d, 1 / unit)), amax));
    return hn::Mul(whole, hn::Set(d, unit));
  }
};

/// A block under the factor of its macro block; equals mx::quantize_with_factor.
struct factored_block {
  macro f;
  Wi low, high;

  HWY_INLINE factored_block(const scale_fields& fields, const macro& of, V amax) : f(of) {
    const wide m = widen(amax);
    low = fields.of(hn::Mul(m.low, f.wide_factor.low));
    high = fields.of(hn::Mul(m.high, f.wide_factor.high));
  }
  HWY_INLINE V operator()(V x) const {
    const wide w = widen(hn::Abs(x));
    const V quantized = narrow(to_grid(hn::Mul(w.low, f.wide_factor.low), low),
                               to_grid(hn::Mul(w.high, f.wide_factor.high), high));
    return hn::CopySign(hn::Div(quantized, f.factor), x);
  }
};

#endif  // HWY_NATIVE_FMA
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
