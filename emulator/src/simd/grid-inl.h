// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/grid-inl.h: multiples of an element format's grid under powers of two, rounded
// by the hardware, as values and as codes; included once for each target. Equals mx::encode to
// nearest, ties to even.
#if defined(MX_SIMD_GRID_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_GRID_INL_H
#undef MX_SIMD_GRID_INL_H
#else
#define MX_SIMD_GRID_INL_H
#endif

#include <type_traits>

#include "mx/number/element.h"
#include "simd/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {

/// Patterns of floating-point numbers in lanes of D.
template <class D>
struct patterns {
  using integer = hn::TFromD<hn::RebindToSigned<D>>;
  static constexpr int fraction = sizeof(integer) == 4 ? 23 : 52;
  static constexpr int bias = sizeof(integer) == 4 ? 127 : 1023;

  /// An exponent field in place, or a distance of two; exponents far outside wrap around.
  static constexpr integer field(int exponent) {
    return static_cast<integer>(static_cast<std::make_unsigned_t<integer>>(exponent) << fraction);
  }
};

/// The grid of an element format times a power of two, in constants added to the exponent field of
/// that power: of the smallest binade with a full grid, of the anchor, of the largest element.
/// The pitch of the grid follows from the binade of the magnitude, down to the smallest normal one.
/// Adding 1.5 * 2^(pitch + fraction) leaves the multiple of the pitch in the low bits: the hardware
/// rounds to nearest, ties to the even multiple, and 1.5 * 2^fraction is itself even. With at least
/// one fraction bit the even multiple is the element with the even code.
///   D  lanes of binary32 or binary64
template <class D>
class grid {
 public:
  using numbers = hn::Vec<D>;
  using integers = hn::Vec<hn::RebindToSigned<D>>;

  HWY_INLINE explicit grid(const format& f)
      : code_shift_(in::fraction - f.fraction_bits),
        lowest_(hn::Set(I(), in::field(f.emin()))),
        anchor_(
            hn::Set(I(), in::field(code_shift_) | typename in::integer{1} << (in::fraction - 1))),
        largest_(hn::Set(I(), __builtin_bit_cast(typename in::integer,
                                                 hn::TFromD<D>{to_binary32(largest_of(f))}) -
                                  in::field(in::bias))) {}

  /// A multiple of the grid, as its sum with an anchor.
  struct multiple {
    integers lowest, top;  ///< exponent fields of the smallest full binade, and of the magnitude's
    numbers sum, anchor;
  };

  /// The nearest multiple, ties to even, saturated.
  ///   magnitude  not negative      exponent_field  of the power, in place; sums stay finite
  HWY_INLINE multiple nearest(numbers magnitude, integers exponent_field) const {
    const numbers largest = number(hn::Add(exponent_field, largest_));
    const numbers saturated = hn::Min(magnitude, largest);
    const integers lowest = hn::Add(exponent_field, lowest_);
    const integers binade = hn::And(bits(saturated), hn::Set(I(), exponent_mask));
    const integers top = bits(hn::Max(number(binade), number(lowest)));
    const numbers anchor = number(hn::Add(top, anchor_));
    return {lowest, top, hn::Add(saturated, anchor), anchor};
  }

  static HWY_INLINE numbers value(const multiple& m) { return hn::Sub(m.sum, m.anchor); }
  HWY_INLINE numbers nearest_value(numbers magnitude, integers exponent_field) const {
    return value(nearest(magnitude, exponent_field));
  }

  /// Consecutive codes are consecutive multiples, of a pitch that doubles with every binade.
  HWY_INLINE integers code(const multiple& m) const {
    const integers binades = hn::Sub(m.top, m.lowest);
#if HWY_TARGET <= HWY_AVX2
    const integers first = hn::Shr(binades, hn::Set(I(), code_shift_));
#else
    const integers first = hn::ShiftRightSame(binades, code_shift_);
#endif
    return hn::Add(first, hn::Sub(bits(m.sum), bits(m.anchor)));
  }

 private:
  using I = hn::RebindToSigned<D>;
  using in = patterns<D>;
  static constexpr typename in::integer exponent_mask = in::field(2 * in::bias + 1);

  static HWY_INLINE integers bits(numbers v) { return hn::BitCast(I(), v); }
  static HWY_INLINE numbers number(integers v) { return hn::BitCast(D(), v); }

  int code_shift_;
  integers lowest_, anchor_, largest_;
};

}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
