// SPDX-License-Identifier: Apache-2.0
// kernels/src/ideal_mxfp4.h: Q and Q* of MXFP4 elements in a few binary32 operations, with what a block
// has to know for them. Equals mx::quantize_element and mx::quantize_element_ideally
// (tests/kernels/ideal_mxfp4_test.cpp).
#pragma once
#include "mx/block.h"

namespace mx::kernels {

/// Blocks whose amax is from 2^-100 to below 2^100; their scales are 2^-103 to 2^98.
inline constexpr std::uint32_t least_plain_amax = (127 - 100) << 23;
inline constexpr std::uint32_t beyond_plain_amax = (127 + 100) << 23;

/// Largest binary32 numbers that are not above the ties of Q*, in the order of tie_index.
struct ideal_ties {
  std::uint32_t bits[8];
};

/// The ties as shares of amax: of 6 |x| / amax they are .25, .75, 1.25, 1.75, 2.5, 3.5, 5, each moved by
/// 2^-40 of itself to the side that decides it: up where the code below is even, down where the one
/// above is. A binary32 |x| and k amax / 24 are equal or differ by more than 2^-30 of their size, so
/// neither moving the tie nor rounding it in binary64 changes a decision, and cutting it to binary32
/// none of a comparison with binary32.
[[nodiscard]] MX_HD constexpr ideal_ties ideal_ties_of(double amax) noexcept {
  constexpr double up = (1 + 0x1p-40) / 6, down = (1 - 0x1p-40) / 6;
  constexpr double shares[8] = {2.5 * up,   3.5 * down, 5 * up,    .25 * up,
                                .75 * down, .75 * down, 1.25 * up, 1.75 * down};
  ideal_ties result{};
  for (int i = 0; i < 8; ++i) {
    const auto tie = __builtin_bit_cast(std::uint64_t, shares[i] * amax);
    // Normal in binary32 too: the exponent moves by the difference of the biases.
    result.bits[i] = static_cast<std::uint32_t>(tie >> 29) - ((1023U - 127U) << 23);
  }
  return result;
}

/// By how much |x| is multiplied for ideal_interval; the product must stay below 6.
[[nodiscard]] MX_HD constexpr float intervals_over(float amax) noexcept {
  return (6 - 0x1p-18F) / amax;
}

/// The elements around |x|: those of E2M1 that 6 |x| / amax lies between, or about between, and the
/// number of the tie between them. The product is rounded, so that it may say the neighbour of the
/// right interval; this is as good, since their common end is far from every tie.
struct ideal_interval {
  float below, above;
  int tie;
};

[[nodiscard]] MX_HD constexpr ideal_interval ideal_interval_of(float magnitude,
                                                               float intervals) noexcept {
  const float about = magnitude * intervals;
  const std::uint32_t bits = bits_of(about < 0.4F ? 0.4F : about);
  // In the order that the bits have: [2, 3), [3, 4), [4, 6), [.4, .5), [.5, .75), [.75, 1), [1, 1.5),
  // [1.5, 2).
  const int tie = static_cast<int>(bits >> 22 & 7);
  const float step = about < 0.5F ? 0.0F : 0.5F;
  const std::uint32_t lower = bits & 0xFFC00000;  // 1, 1.5, 2, 3, 4
  const bool below_one = about < 1;
  return {below_one ? step : float_of(lower),
          below_one ? step + 0.5F : float_of(lower + 0x00400000), tie};
}

/// |Q*| over amax / 6.
[[nodiscard]] MX_HD constexpr float ideal_element(float magnitude, float intervals,
                                                  const ideal_ties& ties) noexcept {
  const ideal_interval where = ideal_interval_of(magnitude, intervals);
  return bits_of(magnitude) > ties.bits[where.tie] ? where.above : where.below;
}

/// 3 |Q|, exact. With e the exponent of |x|, or of the scale if that is larger, the grid has the pitch
/// 2^(e - 1). |x| / 2^22 is below 2^(e - 21), so its sum with 1.5 * 2^e stays in the binade of 2^e,
/// where binary32 has the pitch 2^(e - 23): one rounding to nearest, ties to the even multiple, since
/// 1.5 * 2^e is an even multiple itself. Multiples of one pitch, from the second on where it is not
/// the least, have consecutive codes that begin with an even one: the even multiple has the even code.
/// The difference is |Q| / 2^22, of two bits.
///   scale, largest  of the block; 6 times it
[[nodiscard]] MX_HD inline float tripled_element(float magnitude, float scale,
                                                 float largest) noexcept {
  const float saturated = magnitude < largest ? magnitude : largest;
  const std::uint32_t top = bits_of(saturated > scale ? saturated : scale);
  const float anchor = float_of((top & 0x7F800000) | 0x00400000);
  return (fused_multiply_add(saturated, 0x1p-22F, anchor) - anchor) * 0x3p22F;
}

}  // namespace mx::kernels
