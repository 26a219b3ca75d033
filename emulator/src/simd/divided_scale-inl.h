// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/divided_scale-inl.h: scales with fractions, from the largest magnitudes of
// blocks; included once for each target. Equals mx::mapped_scale.
#if defined(MX_SIMD_DIVIDED_SCALE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_DIVIDED_SCALE_INL_H
#undef MX_SIMD_DIVIDED_SCALE_INL_H
#else
#define MX_SIMD_DIVIDED_SCALE_INL_H
#endif

#include "simd/block_scale-inl.h"
#include "simd/rounding-inl.h"
#include "simd/scale_reciprocal-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
namespace block_kernel {

#if HWY_TARGET != HWY_SCALAR

using rounding_kernel::element_rounder;
using rounding_kernel::rounding_class;

/// Scales amax / (target * tensor scale) of a part of blocks, rounded to codes of a format with
/// fractions.
///
/// target * tensor is exact: 8 bits and 24. The quotient is rounded to binary64, then on integers
/// to the code. With amax = A 2^j, target * tensor = D 2^k, and B 2^i a bound or tie of the codes,
/// a quotient beside that differs from it by |A 2^j - B D 2^(i+k)| / (D 2^k): relatively by at
/// least 1 / (B D) where j >= i + k, and else by at least 1 / A > 2^-24. B has at most m + 2 bits,
/// so that B D is below 2^42: m <= 8 below a tensor scale, and without one m <= 23 and D < 2^8. A
/// bound is a number of binary64: rounding does not move a quotient over it, and 2^-42 is too far
/// to move it onto the bound. Rounded from the upper half, bounds have a zero in the 20th fraction
/// bit, the place of the sticky bit: 20 > m + 1.
class divided_scales {
 public:
  explicit divided_scales(const quantization& q)
      : scale_(q.format.scale),
        how_(rounding_of(q.rule)),
        known_(is_known(q)),
        least_(q.rule == scale_rule::floor6 ? static_cast<int>(smallest_scale_code(scale_)) : 0),
        hidden_(scale_.lowest_field == lowest_field::normal ? 1 << scale_.fraction_bits : 0),
        last_usual_(scale_reciprocals::last_usual(q.format.element)),
        target_(exact_double(target_of(q))),
        round_(counted_from_hidden(scale_), how_, 0),
        reciprocals_(scale_) {}

  /// Whether the kernel supports the rule and the format.
  [[nodiscard]] bool known() const { return known_; }

  /// Codes, factors and reciprocals of the first `count` blocks of a part; unusual are NaN, Inf,
  /// subnormals, subnormal scales, and scales under which a subnormal element may be alive. Blocks
  /// of zeros and scales of zero are not unusual.
  ///   returns  whether a block is unusual
  [[nodiscard]] HWY_INLINE bool choose(block_part& part, int count) const {
    const I32 d;
    Vi any = hn::Zero(d);
    for (int b = 0; b < count; b += lanes) {
      const Vi unusual = choose_of_lanes(part, b);
      hn::Store(unusual, d, part.unusual + b);
      any = hn::Or(any, unusual);
    }
    return !hn::AllFalse(d, hn::Lt(any, hn::Zero(d)));
  }

  /// The same for as many blocks from b on as there are lanes, but for `unusual`, which is
  /// returned.
  HWY_INLINE Vi choose_of_lanes(block_part& part, int b) const {
    const I32 d;
    const lanes_of_blocks blocks(part, b);
    const Vi rounded = codes_of(widened(numbers(blocks.usual_amax())), blocks.factors());
    const Vi codes = hn::IfThenZeroElse(blocks.zeros(), hn::Min(rounded, largest_code()));
    hn::Store(codes, d, part.codes + b);
    return under(codes, blocks, part, b);
  }

  /// Scales one code above or below those of the first `count` blocks of a part; where there is
  /// none below, the same. A block whose scale is the largest is unusual.
  ///   out      all of it is written
  ///   returns  whether a block is unusual
  [[nodiscard]] HWY_INLINE bool move(const block_part& part, neighbour where, int count,
                                     block_part& out) const {
    const I32 d;
    Vi any = hn::Zero(d);
    for (int b = 0; b < count; b += lanes) {
      const Vi codes = hn::Load(d, part.codes + b), moved = moved_codes(codes, where);
      hn::Store(moved, d, out.codes + b);
      const Vi topmost = hn::Sub(hn::Sub(largest_code(), hn::Set(d, 1)), codes);
      const Vi unusual = hn::Or(topmost, under(moved, lanes_of_blocks(part, b), out, b));
      hn::Store(unusual, d, out.unusual + b);
      any = hn::Or(any, unusual);
    }
    return !hn::AllFalse(d, hn::Lt(any, hn::Zero(d)));
  }

  /// The number that elements are divided by.
  [[nodiscard]] static HWY_INLINE scale_numbers numbers_of(const block_part& part, int b) {
    return {part.reciprocals[b], part.products[b]};
  }

 private:
  /// What blocks bring along: largest magnitudes and tensor scales.
  class lanes_of_blocks {
   public:
    HWY_INLINE lanes_of_blocks(const block_part& part, int b)
        : amax_(hn::Load(I32(), part.amax + b)),
          signed_tensor_(load_bits(part.tensor_scales + b)),
          tensor_(hn::And(signed_tensor_, hn::Set(I32(), magnitude_mask))) {}

    [[nodiscard]] HWY_INLINE hn::Mask<I32> zeros() const { return hn::Eq(amax_, hn::Zero(I32())); }
    /// Negative for NaN, Inf, zeros and subnormals, and for a tensor scale with a sign.
    [[nodiscard]] HWY_INLINE Vi outside() const {
      return hn::Or(outside_normals(amax_), hn::Or(outside_normals(tensor_), signed_tensor_));
    }
    [[nodiscard]] HWY_INLINE Vi usual_amax() const { return usual(amax_); }
    [[nodiscard]] HWY_INLINE doubles factors() const { return widened(numbers(usual(tensor_))); }

   private:
    /// One where a block is outside.
    [[nodiscard]] HWY_INLINE Vi usual(Vi pattern) const {
      const I32 d;
      const auto inside = hn::Gt(outside(), hn::Set(d, -1));
      return hn::IfThenElse(inside, pattern, hn::Set(d, 0x3F800000));
    }
    Vi amax_, signed_tensor_, tensor_;
  };

  /// Stores what follows from codes; returns which blocks are unusual.
  HWY_INLINE Vi under(Vi codes, const lanes_of_blocks& blocks, block_part& part, int b) const {
    const I32 d;
    const Vi reciprocals = reciprocals_.store(codes, blocks.factors(), part, b);
    const auto none = hn::Eq(reciprocals, hn::Zero(d));
    const Vi low = hn::Sub(reciprocals, hn::Set(d, scale_reciprocals::first_usual));
    const Vi dead =
        hn::Or(hn::Sub(hn::Set(d, last_usual_), reciprocals), hn::IfThenZeroElse(none, low));
    const Vi unusual = hn::Or(blocks.outside(), hn::Or(dead, hn::Sub(codes, first_code())));
    return hn::IfThenZeroElse(blocks.zeros(), unusual);
  }

  HWY_INLINE Vi moved_codes(Vi codes, neighbour where) const {
    const I32 d;
    const Vi one = hn::Set(d, 1);
    if (where == neighbour::above) return hn::Add(codes, one);
    const Vi smallest = hn::Set(d, static_cast<int>(smallest_scale_code(scale_)));
    return hn::IfThenElse(hn::Gt(codes, smallest), hn::Sub(codes, one), codes);
  }

  /// Limit for codes that are rounded from the upper half of a quotient.
  static constexpr int widest_fraction = 16;

  [[nodiscard]] static rounding rounding_of(scale_rule rule) {
    if (rule == scale_rule::rceil) return rounding::away_from_zero;
    return rule == scale_rule::floor6 ? rounding::toward_zero : rounding::ties_to_even;
  }
  [[nodiscard]] static unpacked target_of(const quantization& q) {
    return q.rule == scale_rule::static_four ? unpacked::positive(4, 0)
                                             : largest_of(q.format.element);
  }
  /// Exponents far from binary64's limits, and from binary32's for codes of 32 bits.
  [[nodiscard]] static bool is_known(const quantization& q) {
    const format& f = q.format.scale;
    const int power = target_of(q).floor_log2();
    const bool bits = f.fraction_bits >= 1 && f.fraction_bits <= widest_fraction;
    return q.format.precision == scale_precision::stored && is_divided_rule(q.rule) &&
           power > -40 && power < 40 && scale_reciprocals::serves(f) &&
           (bits || f == formats::binary32);
  }
  /// If the lowest field is normal: the format whose codes are larger by the hidden bit.
  [[nodiscard]] static format counted_from_hidden(const format& f) {
    if (f.lowest_field == lowest_field::subnormal) return f;
    return {f.exponent_bits + 1, f.fraction_bits, f.bias + 1, specials::none,
            signedness::without_sign};
  }

  static HWY_INLINE V numbers(Vi bits) { return hn::BitCast(F32(), bits); }

  HWY_INLINE Vi largest_code() const { return hn::Set(I32(), static_cast<int>(scale_.max_code())); }
  /// For binary32 the code of the smallest normal number: smaller ones are not rounded here.
  HWY_INLINE Vi first_code() const {
    return hn::Set(I32(), scale_.fraction_bits > widest_fraction ? 0x00800000 : 0);
  }

  /// Before clamping to the largest code.
  HWY_INLINE Vi codes_of(const doubles& amax, const doubles& factors) const {
    const Vd target = hn::Set(F64(), target_);
    const Vd low = hn::Div(amax.low, hn::Mul(factors.low, target));
    const Vd high = hn::Div(amax.high, hn::Mul(factors.high, target));
    if (scale_.fraction_bits > widest_fraction) return binary32_codes(low, high);
    const Vi pattern = halves_joined(low, high, 0xFFFFFFFF);
    const Vi code = hn::Sub(magnitude(pattern), hn::Set(I32(), hidden_));
    return hn::Max(code, hn::Set(I32(), least_));
  }

  HWY_INLINE Vi magnitude(Vi pattern) const {
    const Vi lowest = round_.lowest_field(1023);
    switch (rounding_kernel::class_of(how_)) {
      case rounding_class::to_even:
        return round_.template magnitude<rounding_class::to_even>(pattern, lowest);
      case rounding_class::plain:
        return round_.template magnitude<rounding_class::plain>(pattern, lowest);
      case rounding_class::away:
        break;
    }
    return round_.template magnitude<rounding_class::away>(pattern, lowest);
  }

  /// Patterns of binary32 if that is a normal number, smaller patterns otherwise. There are no
  /// ties: a number of 25 bits times the target would be an amax of more than 24.
  HWY_INLINE Vi binary32_codes(Vd low, Vd high) const {
    const U32 d;
    const auto a = hn::BitCast(d, binary32_code(low)), b = hn::BitCast(d, binary32_code(high));
    return hn::BitCast(I32(), hn::ConcatEven(d, b, a));
  }
  HWY_INLINE hn::Vec<U64> binary32_code(Vd quotient) const {
    constexpr int lost = 29;
    const U64 d;
    const auto bits = hn::BitCast(d, quotient);
    const auto raised = hn::Add(bits, hn::Set(d, raise_));
    return hn::Sub(hn::ShiftRight<lost>(raised), hn::Set(d, std::uint64_t{1023 - 127} << 23));
  }

  format scale_;
  rounding how_;
  bool known_;
  int least_, hidden_, last_usual_;
  double target_;
  element_rounder<20> round_;
  scale_reciprocals reciprocals_;
  std::uint64_t raise_ = how_ == rounding::away_from_zero ? (std::uint64_t{1} << 29) - 1
                         : how_ == rounding::ties_to_even ? std::uint64_t{1} << 28
                                                          : 0;
};

#endif

}  // namespace block_kernel
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
