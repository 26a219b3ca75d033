// SPDX-License-Identifier: Apache-2.0
// kernels/src/decompose/ideal_mxfp4.h: Q and Q* of MXFP4 elements in a few binary32 operations,
// with the per-block values that they require. Equals mx::quantize_element and
// mx::quantize_element_ideally (tests/kernels/decompose/ideal_mxfp4_test.cpp).
//
// Both round to the elements of E2M1 by an addition. An anchor is a number A in the binade of 2^(e
// + 22), whose neighbours are 2^(e - 1) away: the pitch of the elements from 2^e to 2^(e + 1), and
// of those below 2 for e = 0. A + y, rounded, minus A is y rounded to that pitch, provided A + y
// stays in the binade. That holds if A has at most 19 significant bits: then A <= 2^(e + 23) -
// 2^(e + 4), and y < 2^(e + 2). An anchor is therefore derived from |x| cut to a few bits, which
// suffices because the elements beside a power of two are multiples of both pitches around it.
#pragma once
#include "device/operations.h"

namespace mx::kernels {

/// Blocks whose amax is from 2^-100 to below 2^100; their scales are 2^-103 to 2^98.
inline constexpr std::uint32_t least_plain_amax = (127 - 100) << 23;
inline constexpr std::uint32_t beyond_plain_amax = (127 + 100) << 23;

/// |Q| before it saturates at 6 scale, exact. A tie has two bits below its leading one: the anchor
/// is then an even multiple of the pitch, so ties to even of the sum are ties to the even multiple;
/// and multiples of one pitch, from the second on unless it is the least, have consecutive codes
/// that begin with an even one. From 6 scale on the result is at least 6 scale.
///   cut  |x| cut to at most 11 bits
[[nodiscard]] MX_HD inline float nearest_element(float magnitude, float cut, float scale) noexcept {
  const float binade = larger_number(cut, scale);
  return fused_multiply_add(binade, -0x1p22F, fused_multiply_add(binade, 0x1p22F, magnitude));
}

/// Factors for Q* of a block's binary32 elements: 6 / amax times 2^22, cut to 8 bits; slightly
/// below, and slightly above 6 / amax. All zero in a block of zeros.
struct wide_factors {
  float anchor = 0, less = 0, more = 0;

  wide_factors() = default;
  ///   reciprocal  of amax, off by less than 2^-22 of itself
  MX_HD constexpr explicit wide_factors(float reciprocal) noexcept
      : anchor(float_of(bits_of(reciprocal * 6) & 0xFFFF0000) * 0x1p22F),
        less(reciprocal * 6 * (1 - 0x1p-20F)),
        more(reciprocal * 6 * (1 + 0x1p-20F)) {}
};

/// The elements nearest to slightly less and to slightly more than 6 |x| / amax, each plus the
/// anchor. If they are equal, the element nearest to 6 |x| / amax is the same and no tie:
/// rounding is monotone.
struct ideal_sums {
  float anchor, lower, upper;
};

///   cut  |x| cut to 8 bits: with the factor's 8 the anchor has 16. It is exact, and more than
///        61/64 of 2^22 * 6 |x| / amax, or 2^22.
[[nodiscard]] MX_HD inline ideal_sums ideal_sums_of(float magnitude, float cut,
                                                    const wide_factors& block) noexcept {
  const float anchor = larger_number(cut * block.anchor, 0x1p22F);
  return {anchor, fused_multiply_add(magnitude, block.less, anchor),
          fused_multiply_add(magnitude, block.more, anchor)};
}

/// The same for elements of at most 11 bits: 6 / amax times 2^4, cut to 8 bits; approximately 6 /
/// amax.
struct narrow_factors {
  float anchor = 0, about = 0;

  narrow_factors() = default;
  ///   reciprocal  of amax, off by less than 2^-22 of itself
  MX_HD constexpr explicit narrow_factors(float reciprocal) noexcept
      : anchor(float_of(bits_of(reciprocal * 6) & 0xFFFF0000) * 0x1p4F), about(reciprocal * 6) {}
};

/// |Q*| over amax / 6 of an element whose block has at most 11 bits a number. Then 24 |x| and k
/// amax are equal, or differ by at least one unit in the last place of x, 2^-15.6 of 24 |x|: y = 6
/// |x| / amax is a tie, or farther than 2^(e - 17.6) from each tie. First an approximation of y,
/// off by less than 2^(e - 21), is rounded to a multiple of 2^(e - 19), or of 2^(e - 18) if the sum
/// leaves the binade of the small anchor: it becomes the tie, or stays on its side. Then that is
/// rounded to an element, ties to even as in nearest_element.
[[nodiscard]] MX_HD inline float narrow_ideal(float magnitude,
                                              const narrow_factors& block) noexcept {
  const float small = larger_number(magnitude * block.anchor, 0x1p4F);
  const float y = fused_multiply_add(magnitude, block.about, small) - small;
  return fused_multiply_add(small, -0x1p18F, fused_multiply_add(small, 0x1p18F, y));
}

/// |Q*| over amax / 6 of an element near a tie, or on it: of two neighbouring elements the one
/// nearer to 6 |x| / amax, on a tie the one with the even code. Both sides of the comparison are
/// exact: a binary32 number times at most 4 bits.
[[nodiscard]] MX_HD inline float decided_ideal(float magnitude, double minus_half_amax, float lower,
                                               float upper) noexcept {
  const double own = static_cast<double>(magnitude) * -6;
  const double tie = static_cast<double>(lower + upper) * minus_half_amax;
  if (own != tie) return own > tie ? lower : upper;
  return lower == 0.5F || lower == 1.5F || lower == 3 ? upper : lower;
}

}  // namespace mx::kernels
