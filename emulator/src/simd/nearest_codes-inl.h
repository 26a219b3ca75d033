// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/nearest_codes-inl.h: elements to the codes nearest to them, ties to even;
// included once for each target. Equals mx::encode of each element over its scale.
// The code of a magnitude is in the sum with its anchor (simd/grid-inl.h): the exponent field of the
// sum gives the binade, and its low bits the multiple of the binade's pitch.
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

/// Constants of an element format for codes from sums.
struct sum_of_anchor {
  int dropped;  ///< fraction bits of FP32 below the element's
  Vi anchor;    ///< from the exponent field of a magnitude to its anchor
  Vi dropped_lanes;

  explicit HWY_INLINE sum_of_anchor(const format& f)
      : dropped(23 - f.fraction_bits),
        anchor(hn::Set(I32(), dropped << 23 | 1 << 22)),
        dropped_lanes(hn::Set(I32(), dropped)) {}

  /// The lower half is a code and `first_code`, modulo 2^16.
  HWY_INLINE Vi code(Vi sum) const {
#if HWY_TARGET <= HWY_AVX2
    return hn::Add(sum, hn::Shr(sum, dropped_lanes));
#else
    return hn::Add(sum, hn::ShiftRightSame(sum, dropped));
#endif
  }
  /// Of the smallest binade with a full grid, whose exponent field is `lowest`.
  [[nodiscard]] HWY_INLINE halves first_code(Vi lowest) const {
    const Vi first = code(hn::Add(lowest, anchor));
    return lower_halves(first, first);
  }
};

/// Magnitudes under a power of two.
class shifted_codes {
 public:
  using fields = Vi;  ///< exponent field of the smallest binade with a full grid

  HWY_INLINE shifted_codes(const format& f) : sums_(f), lowest_(hn::Set(I32(), f.emin() << 23)) {}

  HWY_INLINE fields of_block(const block_part& part, int b) const {
    return hn::Add(hn::ShiftLeft<23>(hn::Set(I32(), part.codes[b])), lowest_);
  }
  HWY_INLINE halves first_code(const fields& lowest) const { return sums_.first_code(lowest); }

  HWY_INLINE Vi code(Vi bits, const fields& lowest) const {
    const I32 d;
    const Vi top = hn::Max(hn::And(bits, hn::Set(d, 0x7F800000)), lowest);
    const V anchor = hn::BitCast(F32(), hn::Add(top, sums_.anchor));
    return sums_.code(hn::BitCast(d, hn::Add(hn::Abs(hn::BitCast(F32(), bits)), anchor)));
  }
  [[nodiscard]] static HWY_INLINE bool is_decided() { return true; }

 private:
  sum_of_anchor sums_;
  Vi lowest_;
};

/// Elements in twos complement under a power of two: a single binade.
class shifted_integers {
 public:
  using fields = V;  ///< anchor

  HWY_INLINE shifted_integers(const format& f)
      : anchor_(hn::Set(I32(), (f.emin() + 23 - f.fraction_bits) << 23 | 1 << 22)) {}

  HWY_INLINE fields of_block(const block_part& part, int b) const {
    const I32 d;
    return hn::BitCast(F32(), hn::Add(hn::ShiftLeft<23>(hn::Set(d, part.codes[b])), anchor_));
  }
  static HWY_INLINE halves first_code(const fields&) { return hn::Zero(U16()); }

  static HWY_INLINE Vi code(Vi bits, const fields& anchor) {
    return hn::BitCast(I32(), hn::Add(hn::BitCast(F32(), bits), anchor));
  }
  [[nodiscard]] static HWY_INLINE bool is_decided() { return true; }

 private:
  Vi anchor_;
};

/// Magnitudes times a multiplier, rounded to FP32 first: the arithmetic of public kernels.
class product_codes {
 public:
  using fields = V;  ///< the multiplier

  HWY_INLINE explicit product_codes(const format& f)
      : sums_(f),
        lowest_(hn::Set(I32(), (127 + f.emin()) << 23)),
        largest_(hn::Set(F32(), to_binary32(largest_of(f)))),
        first_code_(sums_.first_code(lowest_)) {}

  HWY_INLINE fields of_block(const block_part& part, int b) const {
    return hn::Set(F32(), part.inverses[b]);
  }
  HWY_INLINE halves first_code(const fields&) const { return first_code_; }

  HWY_INLINE Vi code(Vi bits, const fields& multiplier) const {
    return sums_.code(hn::BitCast(I32(), rounded(bits, multiplier).sum));
  }
  [[nodiscard]] static HWY_INLINE bool is_decided() { return true; }

 protected:
  struct product {
    V value, anchor, sum;
    Vi top;  ///< exponent field of the binade
  };
  HWY_INLINE product rounded(Vi bits, V multiplier) const {
    const F32 d;
    const I32 di;
    product p;
    p.value = hn::Min(hn::Mul(hn::Abs(hn::BitCast(d, bits)), multiplier), largest_);
    p.top = hn::Max(hn::And(hn::BitCast(di, p.value), hn::Set(di, 0x7F800000)), lowest_);
    p.anchor = hn::BitCast(d, hn::Add(p.top, sums_.anchor));
    p.sum = hn::Add(p.value, p.anchor);
    return p;
  }

  sum_of_anchor sums_;

 private:
  Vi lowest_;
  V largest_;
  halves first_code_;
};

/// Magnitudes times the reciprocal of a scale, both rounded to FP32: the quotient is wrong by less
/// than 2^-22 of itself, which is 2^(m-21) of half the pitch. Elements that are nearer to a tie are
/// not decided.
class multiplied_codes : public product_codes {
 public:
  HWY_INLINE explicit multiplied_codes(const format& f)
      : product_codes(f),
        near_half_(hn::Set(I32(), -((f.fraction_bits + 1) << 23) - (1 << (f.fraction_bits + 5)))),
        near_(hn::Zero(F32())) {}

  HWY_INLINE Vi code(Vi bits, const fields& inverse) {
    const F32 d;
    const product p = rounded(bits, inverse);
    const V distance = hn::Abs(hn::Sub(p.value, hn::Sub(p.sum, p.anchor)));
    const V near_half = hn::BitCast(d, hn::Add(p.top, near_half_));
    near_ = hn::Or(near_, hn::VecFromMask(d, hn::Gt(distance, near_half)));
    return sums_.code(hn::BitCast(I32(), p.sum));
  }
  /// Whether every element since the last call is decided.
  [[nodiscard]] HWY_INLINE bool is_decided() {
    const bool decided = hn::AllFalse(F32(), hn::MaskFromVec(near_));
    near_ = hn::Zero(F32());
    return decided;
  }

 private:
  Vi near_half_;
  V near_;
};

#endif

}  // namespace block_kernel
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
