// SPDX-License-Identifier: Apache-2.0
// kernels/src/ideal_mxfp4.h: Q and Q* of MXFP4 elements in a few binary32 operations, with what a
// block has to know for them. Equals mx::quantize_element and mx::quantize_element_ideally
// (tests/kernels/ideal_mxfp4_test.cpp).
//
// Both round to the elements of E2M1 by an addition. An anchor is a number A in the binade of 2^(e
// + 22), whose neighbours are 2^(e - 1) away: the pitch of the elements from 2^e to 2^(e + 1), and
// of those below 2 for e = 0. A + y, rounded, less A is y rounded to that pitch, as long as A + y
// is still in the binade. It is where A has at most 16 significant bits: then A <= 2^(e + 23) -
// 2^(e + 7), and y < 2^(e + 2). So an anchor is made of |x| cut to a few bits: that is enough,
// since the elements beside a power of two are multiples of both pitches around it.
#pragma once
#include "device_operations.h"

namespace mx::kernels {

/// Blocks whose amax is from 2^-100 to below 2^100; their scales are 2^-103 to 2^98.
inline constexpr std::uint32_t least_plain_amax = (127 - 100) << 23;
inline constexpr std::uint32_t beyond_plain_amax = (127 + 100) << 23;

/// |Q| before it saturates at 6 scale, exact. A tie has two bits below its first: then the anchor
/// is an even multiple of the pitch, so that ties to even of the sum are ties to the even multiple;
/// and multiples of one pitch, from the second on where it is not the least, have consecutive codes
/// that begin with an even one. From 6 scale on the result is not below 6 scale.
///   cut  |x| cut to at most 11 bits
[[nodiscard]] MX_HD inline float nearest_element(float magnitude, float cut, float scale) noexcept {
  const float binade = larger_number(cut, scale);
  return fused_multiply_add(binade, -0x1p22F, fused_multiply_add(binade, 0x1p22F, magnitude));
}

/// What Q* of a block's elements is found with: 6 / amax times 2^22, cut to 8 bits; a little less,
/// and a little more than 6 / amax. All zero in a block of zeros.
struct ideal_factors {
  float anchor, less, more;
};

///   reciprocal  of amax, off by at most 2^-22 of itself
[[nodiscard]] MX_HD constexpr ideal_factors ideal_factors_of(float reciprocal) noexcept {
  const float factor = reciprocal * 6;
  return {float_of(bits_of(factor) & 0xFFFF0000) * 0x1p22F, factor * (1 - 0x1p-20F),
          factor * (1 + 0x1p-20F)};
}

/// The elements nearest to a little less and to a little more than 6 |x| / amax, each plus the
/// anchor. Where they are the same, so is the one nearest to 6 |x| / amax, which is no tie:
/// rounding keeps the order.
struct ideal_sums {
  float anchor, lower, upper;
};

///   cut  |x| cut to at most 11 bits: with the factor's 8 the anchor has 19. It is exact, below
///        2^(e + 23) - 2^(e + 4), and more than 61/64 of 2^22 * 6 |x| / amax, or 2^22.
[[nodiscard]] MX_HD inline ideal_sums ideal_sums_of(float magnitude, float cut,
                                                    const ideal_factors& block) noexcept {
  const float anchor = larger_number(cut * block.anchor, 0x1p22F);
  return {anchor, fused_multiply_add(magnitude, block.less, anchor),
          fused_multiply_add(magnitude, block.more, anchor)};
}

/// |Q*| over amax / 6 of an element near a tie, or on it: the one of two neighbouring elements that
/// 6 |x| / amax is nearer to, or the one with the even code. Both sides of the comparison are
/// exact: a binary32 number times at most 4 bits.
[[nodiscard]] MX_HD inline float decided_ideal(float magnitude, double minus_half_amax, float lower,
                                               float upper) noexcept {
  const double own = static_cast<double>(magnitude) * -6;
  const double tie = static_cast<double>(lower + upper) * minus_half_amax;
  if (own != tie) return own > tie ? lower : upper;
  return lower == 0.5F || lower == 1.5F || lower == 3 ? upper : lower;
}

}  // namespace mx::kernels
