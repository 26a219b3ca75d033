// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/nearest_codes-inl.h: elements to the codes nearest to them, ties to even;
// included once for each target. Equals mx::encode of each element over its scale.
// The code of a magnitude is in the sum with an anchor, a power of two under which a pitch of the
// grid is the sum's last place (simd/grid-inl.h): the exponent field of the sum gives the binade,
// and its low bits the multiple of the binade's pitch.
#if defined(MX_SIMD_NEAREST_CODES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_NEAREST_CODES_INL_H
#undef MX_SIMD_NEAREST_CODES_INL_H
#else
#define MX_SIMD_NEAREST_CODES_INL_H
#endif

#include "simd/block_elements-inl.h"
#include "simd/byte_codes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
namespace block_kernel {

#if MX_SIMD_BYTE_CODES

/// Codes of an element format's magnitudes, with their signs, as sums of quotients with anchors.
///
/// Quotients are times a power of two, 2^raised, under which the anchor of the smallest binade with
/// a full grid is 2: its exponent field is 128, a multiple of 2^(8 - m), so that the field's bits
/// in the lower byte of a code are 0. An anchor is of its quotient's sign, and a power of two: a
/// sum is not below it, and leaves the binade only where the multiple does. A quotient that the
/// factor makes subnormal is far below the grid. With a fraction bit (mx::block_way_of) the even
/// multiple has the even code.
class signed_sums {
 public:
  explicit HWY_INLINE signed_sums(const format& f)
      : dropped_(23 - f.fraction_bits),
        raised_(1 - dropped_ - f.emin()),
        dropped_lanes_(hn::Set(I32(), dropped_)),
        lowest_(number((127 + f.emin() + raised_) << 23)),
        anchor_(number((127 + dropped_) << 23)),
        signs_(f) {}

  /// 2^raised, and 2^-raised.
  [[nodiscard]] HWY_INLINE V factor() const { return number((127 + raised_) << 23); }
  [[nodiscard]] HWY_INLINE V inverse_factor() const { return number((127 - raised_) << 23); }

  /// The power of two in a quotient, or the smallest one with a full grid, with the quotient's
  /// sign.
  [[nodiscard]] HWY_INLINE V top(V quotient) const {
    const I32 d;
#if HWY_TARGET <= HWY_AVX3
    constexpr int larger_magnitude = 3;  // with the sign of the first
    const V larger{_mm512_range_ps(quotient.raw, lowest_.raw, larger_magnitude)};
    const int sign_and_exponent = static_cast<int>(0xFF800000);
    return hn::BitCast(F32(), hn::And(hn::BitCast(d, larger), hn::Set(d, sign_and_exponent)));
#else
    const Vi bits = hn::BitCast(d, quotient);
    const Vi exponent = hn::And(bits, hn::Set(d, 0x7F800000));
    const Vi larger = hn::Max(exponent, hn::BitCast(d, lowest_));
    return hn::BitCast(F32(), hn::OrAnd(larger, bits, hn::Set(d, sign_bit)));
#endif
  }
  [[nodiscard]] HWY_INLINE V sum(V quotient, V top) const {
    return hn::MulAdd(top, anchor_, quotient);
  }

  /// The sum's multiple, exactly.
  [[nodiscard]] HWY_INLINE V multiple(V sum, V top) const {
    return hn::NegMulAdd(top, anchor_, sum);
  }

  /// The code of the sum's multiple, modulo 256, and the sign as signs_of_words has it.
  [[nodiscard]] HWY_INLINE Vi code(V sum) const {
    const Vi bits = hn::BitCast(I32(), sum);
#if HWY_TARGET <= HWY_AVX2
    return hn::Add(bits, hn::Shr(bits, dropped_lanes_));
#else
    return hn::Add(bits, hn::ShiftRightSame(bits, dropped_));
#endif
  }

  template <sign_style Style>
  HWY_INLINE byte_vector bytes(const Vi (&sums)[4]) const {
    return signs_.template bytes<Style>(words(sums[0], sums[1]), words(sums[2], sums[3]));
  }

 private:
  /// The lower halves of code(): a shift by at least 16 places brings there what the upper ones
  /// hold.
  [[nodiscard]] HWY_INLINE halves words(Vi a, Vi b) const {
    return hn::Add(lower_halves(a, b), shifted_right(upper_halves(a, b), dropped_ - 16));
  }

  static constexpr int sign_bit = static_cast<int>(0x80000000);
  static HWY_INLINE V number(int bits) { return hn::BitCast(F32(), hn::Set(I32(), bits)); }

  int dropped_;  ///< fraction bits of FP32 below the element's
  int raised_;
  Vi dropped_lanes_;
  V lowest_, anchor_;
  signs_of_words signs_;
};

/// A number, or one with its sign and a smaller magnitude.
///   limit  not negative
HWY_INLINE V saturated(V x, V limit) {
#if HWY_TARGET <= HWY_AVX3
  constexpr int smaller_magnitude = 2;  // with the sign of the first
  return V{_mm512_range_ps(x.raw, limit.raw, smaller_magnitude)};
#else
  return hn::CopySign(hn::Min(hn::Abs(x), limit), x);
#endif
}

/// Magnitudes under a power of two.
class shifted_codes {
 public:
  using fields = V;  ///< from elements to quotients

  explicit HWY_INLINE shifted_codes(const format& f) : sums_(f), factor_(sums_.factor()) {}

  HWY_INLINE fields of_block(const block_part& part, int b) const {
    return hn::Mul(hn::Set(F32(), part.inverses[b]), factor_);
  }
  HWY_INLINE Vi number(V x, const fields& factor) const {
    const V quotient = hn::Mul(x, factor);
    return hn::BitCast(I32(), sums_.sum(quotient, sums_.top(quotient)));
  }
  template <sign_style Style>
  HWY_INLINE byte_vector bytes(const Vi (&numbers)[4], const V (&)[4]) const {
    return sums_.template bytes<Style>(numbers);
  }

 private:
  signed_sums sums_;
  V factor_;
};

/// Elements in twos complement under a power of two: a single binade.
class shifted_integers {
 public:
  using fields = V;  ///< anchor

  explicit HWY_INLINE shifted_integers(const format& f)
      : anchor_(hn::Set(I32(), (f.emin() + 23 - f.fraction_bits) << 23 | 1 << 22)),
        complements_(f) {}

  HWY_INLINE fields of_block(const block_part& part, int b) const {
    const I32 d;
    return hn::BitCast(F32(), hn::Add(hn::ShiftLeft<23>(hn::Set(d, part.codes[b])), anchor_));
  }
  static HWY_INLINE Vi number(V x, const fields& anchor) {
    return hn::BitCast(I32(), hn::Add(x, anchor));
  }
  template <sign_style Style>
  HWY_INLINE byte_vector bytes(const Vi (&numbers)[4], const V (&)[4]) const {
    return complements_.bytes(numbers);
  }

 private:
  Vi anchor_;
  complements complements_;
};

/// Elements times a multiplier, rounded to FP32 first: the arithmetic of public kernels.
class product_codes {
 public:
  using fields = V;  ///< the multiplier

  explicit HWY_INLINE product_codes(const format& f)
      : sums_(f),
        factor_(sums_.factor()),
        largest_(hn::Mul(hn::Set(F32(), to_binary32(largest_of(f))), factor_)) {}

  HWY_INLINE fields of_block(const block_part& part, int b) const {
    return hn::Mul(hn::Set(F32(), part.inverses[b]), factor_);
  }
  HWY_INLINE Vi number(V x, const fields& multiplier) const {
    const V quotient = saturated(hn::Mul(x, multiplier), largest_);
    return hn::BitCast(I32(), sums_.sum(quotient, sums_.top(quotient)));
  }
  template <sign_style Style>
  HWY_INLINE byte_vector bytes(const Vi (&numbers)[4], const V (&)[4]) const {
    return sums_.template bytes<Style>(numbers);
  }

 private:
  signed_sums sums_;
  V factor_, largest_;
};

/// Elements times the reciprocal of a scale. It and the quotient are rounded to FP32, and so is the
/// reciprocal times 1 - 2^-22 and times 1 + 2^-22: each is wrong by at most 2^-24 of itself, 3/4 of
/// 2^-22 in all, so that the exact quotient lies between both. Where their sums are one, it is the
/// exact one's.
class multiplied_codes {
 public:
  struct fields {
    V below, above;  ///< the reciprocal, made smaller and larger
    V reach;         ///< the scale times a little more than the largest element
  };

  explicit HWY_INLINE multiplied_codes(const format& f)
      : sums_(f),
        factor_(sums_.factor()),
        reach_((1 + 0x1p-10) * to_binary32(largest_of(f))),
        differing_(hn::Zero(I32())) {}

  HWY_INLINE fields of_block(const block_part& part, int b) const {
    return of(part.inverses[b], part.products[b]);
  }
  [[nodiscard]] HWY_INLINE fields of(float inverse, double scale) const {
    const F32 d;
    const V raised = hn::Mul(hn::Set(d, inverse), factor_);
    return {hn::Mul(raised, hn::Set(d, 1 - 0x1p-22F)), hn::Mul(raised, hn::Set(d, 1 + 0x1p-22F)),
            hn::Set(d, static_cast<float>(reach_ * scale))};
  }

  /// Sums of the quotients made smaller and larger: the one of the exact quotient is one of them.
  struct two_sums {
    V below, above;
    V x;    ///< within reach
    V top;  ///< of both
  };
  [[nodiscard]] HWY_INLINE two_sums sums(V x, const fields& block) const {
    const V inside = saturated(x, block.reach);
    const V above = hn::Mul(inside, block.above), top = sums_.top(above);
    return {sums_.sum(hn::Mul(inside, block.below), top), sums_.sum(above, top), inside, top};
  }
  /// Codes of sums, modulo 256, and their signs above.
  [[nodiscard]] HWY_INLINE Vi code(V sum) const { return sums_.code(sum); }

  HWY_INLINE Vi number(V x, const fields& block) {
    const I32 d;
    const two_sums both = sums(x, block);
    differing_ =
        hn::Or(differing_, hn::Xor(hn::BitCast(d, both.below), hn::BitCast(d, both.above)));
    return hn::BitCast(d, both.above);
  }
  /// The numbers of the exact quotients; returns false where this takes more than a fused
  /// multiply-add.
  ///
  /// Between two sums that differ lies one tie, of one bit more than the multiples: its product
  /// with an FP32 scale is rounded once, along with the element's difference from it, whose sign is
  /// the exact one. A scale of 2^-100 or more leaves the difference far above the smallest
  /// subnormal.
  ///   scale  the block's
  HWY_INLINE bool settle(V x, const fields& block, double scale, Vi& number) const {
#if HWY_NATIVE_FMA
    if (scale < 0x1p-100 || scale > 0x1p100 || double{static_cast<float>(scale)} != scale) {
      return false;
    }
    const F32 d;
    const I32 di;
    const two_sums both = sums(x, block);
    const V twice =
        hn::Add(sums_.multiple(both.below, both.top), sums_.multiple(both.above, both.top));
    const V tie = hn::Mul(twice, hn::Mul(sums_.inverse_factor(), hn::Set(d, .5F)));
    const V rest = hn::NegMulAdd(tie, hn::Set(d, static_cast<float>(scale)), both.x);
    const Vi below = hn::BitCast(di, both.below), above = hn::BitCast(di, both.above);
    const Vi apart = hn::Xor(hn::BitCast(di, rest), hn::BitCast(di, both.x));
    const Vi nearer = hn::IfNegativeThenElse(apart, below, above);
    const Vi even = hn::IfThenElse(hn::TestBit(below, hn::Set(di, 1)), above, below);
    number = hn::IfThenElse(hn::RebindMask(di, hn::Eq(rest, hn::Zero(d))), even, nearer);
    return true;
#else
    return false;
#endif
  }
  template <sign_style Style>
  HWY_INLINE byte_vector bytes(const Vi (&numbers)[4], const V (&)[4]) const {
    return sums_.template bytes<Style>(numbers);
  }
  /// Whether number() decided every element since the last call.
  [[nodiscard]] HWY_INLINE bool is_decided() {
    const I32 d;
    const bool decided = hn::AllTrue(d, hn::Eq(differing_, hn::Zero(d)));
    differing_ = hn::Zero(d);
    return decided;
  }

 private:
  signed_sums sums_;
  V factor_;
  double reach_;
  Vi differing_;
};

#endif

}  // namespace block_kernel
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
