// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/rounding-inl.h: magnitudes to codes of any element format, on integers;
// included once for each target. Equals mx::encode.
#if defined(MX_SIMD_ROUNDING_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_ROUNDING_INL_H
#undef MX_SIMD_ROUNDING_INL_H
#else
#define MX_SIMD_ROUNDING_INL_H
#endif

#include "mx/block/block_quantizer.h"
#include "simd/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
namespace rounding_kernel {

HWY_INLINE Vi set(int value) { return hn::Set(I32(), value); }
HWY_INLINE Vu as_unsigned(Vi v) { return hn::BitCast(U32(), v); }
HWY_INLINE Vi as_signed(Vu v) { return hn::BitCast(I32(), v); }

/// Which signed codes a format has.
///   own        a sign bit, zero's too
///   none_zero  a sign bit, but no negative zero (FNUZ)
///   negated    twos complement
enum class sign_style : std::uint8_t { own, none_zero, negated };

[[nodiscard]] inline sign_style style_of(const format& f) {
  if (f.sign_form == sign_form::twos_complement) return sign_style::negated;
  return f.has_negative_zero() ? sign_style::own : sign_style::none_zero;
}

/// Rounding modes that need no random bits.
///   to_even  looks at the last kept bit
///   plain    to nearest with other ties, and toward zero
///   away     from zero
enum class rounding_class : std::uint8_t { to_even, plain, away };

[[nodiscard]] constexpr rounding_class class_of(rounding mode) {
  if (mode == rounding::away_from_zero) return rounding_class::away;
  return mode == rounding::ties_to_even ? rounding_class::to_even : rounding_class::plain;
}

/// An element format and a rounding, prepared for vectors.
///   Fraction  fraction bits of the magnitudes' patterns below the exponent field: 23 or 20
template <int Fraction>
class element_rounder {
 public:
  HWY_INLINE element_rounder(const format& f, rounding mode, int random_bits)
      : fraction_bits_(f.fraction_bits),
        random_bits_(random_bits),
        above_sign_(32 - f.width()),
        emin_(f.emin()),
        max_code_(set(static_cast<int>(f.max_code()))),
        below_half_(set(mode == rounding::toward_zero ? 0 : -1)),
        always_(set(mode == rounding::ties_away ? 1 : 0)),
        sign_(set(static_cast<int>(f.sign_mask()))),
        lost_(set(Fraction - f.fraction_bits)),
        half_(set(33 - Fraction + f.fraction_bits)),
        least_(set(-f.fraction_bits - 3)),
        lost_random_(set(Fraction - f.fraction_bits + 7 - random_bits)),
        least_random_(set(Fraction - f.fraction_bits + 7 - random_bits - 31)) {}

  /// Exponent field of the smallest normal element, from that of a pattern that represents 1.
  [[nodiscard]] HWY_INLINE Vi lowest_field(int one) const { return set(one + emin_); }

  /// Codes of magnitudes, rounded without random bits.
  ///   pattern  not negative; exponent field 0 (zeros, and FP32's subnormals) gives code 0
  ///   lowest   lowest_field()
  template <rounding_class Class>
  HWY_INLINE Vi magnitude(Vi pattern, Vi lowest) const {
    const parts p(pattern, lowest, least_);
    const Vi distance = hn::Sub(lost_, p.below);
    const Vi raised = hn::Add(p.significand, raise<Class>(p, distance));
    const Vi kept = as_signed(hn::Shr(as_unsigned(raised), as_unsigned(distance)));
    return hn::Min(hn::Add(first(p), kept), max_code_);
  }

  /// The same with random bits: floor(value / 2^distance + random / 2^bits).
  HWY_INLINE Vi magnitude(Vi pattern, Vi lowest, Vi random) const {
    const parts p(pattern, lowest, least_random_);
    // Seven bits up, so that the shift is not negative with 24 random bits; 31 leaves no bits.
    const Vi shift = hn::Sub(lost_random_, p.below);
    const auto raised = as_unsigned(hn::ShiftLeft<7>(p.significand));
    const auto cut = hn::Shr(raised, as_unsigned(shift));
    const auto kept = right(hn::Add(cut, as_unsigned(random)), random_bits_);
    return hn::Min(hn::Add(first(p), as_signed(kept)), max_code_);
  }

  /// The random bits: the highest random_bits_ of `width` bits.
  HWY_INLINE Vi top_bits(Vi random, int width) const {
    return as_signed(right(as_unsigned(random), width - random_bits_));
  }

  /// Codes with the signs of `bits`; equals mx::signed_code.
  template <sign_style Style>
  HWY_INLINE Vi with_sign(Vi code, Vi bits) const {
    if constexpr (Style == sign_style::own) {
      const Vi moved = as_signed(right(as_unsigned(bits), above_sign_));
      return hn::OrAnd(code, moved, sign_);
    }
    const Vi negative = hn::BroadcastSignBit(bits);
    const Vi minus = hn::Sub(hn::Zero(I32()), code);
    if constexpr (Style == sign_style::negated) {
      const Vi mask = hn::Sub(hn::Add(sign_, sign_), set(1));
      return hn::And(hn::IfThenElse(hn::MaskFromVec(negative), minus, code), mask);
    }
    return hn::OrAnd(code, hn::And(negative, hn::BroadcastSignBit(minus)), sign_);
  }

 private:
  /// Position of a magnitude: its code is first + significand / 2^distance, rounded.
  ///   above, below  the exponent over the smallest normal one, and its negative part from
  ///                 `least` on
  struct parts {
    Vi significand, above, below;
    HWY_INLINE parts(Vi pattern, Vi lowest, Vi least) {
      constexpr int hidden = 1 << Fraction;
      significand = hn::OrAnd(set(hidden), pattern, set(hidden - 1));
      above = hn::Sub(hn::ShiftRight<Fraction>(pattern), lowest);
      below = hn::Max(hn::Min(above, hn::Zero(I32())), least);
    }
  };

  /// Addend that carries into the kept bits if the magnitude is rounded up.
  template <rounding_class Class>
  HWY_INLINE Vi raise(const parts& p, Vi distance) const {
    const Vi ones = hn::Set(I32(), -1);
    const Vi room = hn::Add(p.below, half_);  // 33 - distance
    if constexpr (Class == rounding_class::away) {
      return as_signed(hn::Shr(as_unsigned(ones), as_unsigned(hn::Sub(room, set(1)))));
    }
    const Vi below_half =
        as_signed(hn::Shr(as_unsigned(ones), as_unsigned(room)));  // 2^(d - 1) - 1
    if constexpr (Class == rounding_class::plain) {
      return hn::Add(hn::And(below_half, below_half_), always_);
    }
    const Vi last = as_signed(hn::Shr(as_unsigned(p.significand), as_unsigned(distance)));
    return hn::Add(below_half, hn::And(last, set(1)));
  }

  HWY_INLINE Vi first(const parts& p) const {
    const Vi steps = hn::Max(p.above, hn::Zero(I32()));
#if HWY_TARGET <= HWY_AVX2
    return as_signed(hn::Shl(as_unsigned(steps), as_unsigned(set(fraction_bits_))));
#else
    return as_signed(hn::ShiftLeftSame(as_unsigned(steps), fraction_bits_));
#endif
  }

  /// Shifts by one distance in all lanes: a shift with a distance for each lane is cheaper, if any.
  static HWY_INLINE Vu right(Vu v, int distance) {
#if HWY_TARGET <= HWY_AVX2
    return hn::Shr(v, as_unsigned(set(distance)));
#else
    return hn::ShiftRightSame(v, distance);
#endif
  }

  int fraction_bits_, random_bits_, above_sign_, emin_;
  Vi max_code_, below_half_, always_, sign_;
  Vi lost_, half_, least_;         ///< distance; 33 - distance; beyond Fraction + 3 nothing is left
  Vi lost_random_, least_random_;  ///< the same with random bits: beyond 31
};

}  // namespace rounding_kernel
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
