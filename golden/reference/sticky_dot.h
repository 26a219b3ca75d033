// SPDX-License-Identifier: Apache-2.0
// golden/reference/sticky_dot.h: the sums of Vortex's tensor core: terms truncated at one place,
// one sticky bit for all that was cut off, and a rounding to nearest.
// Source: vortexgpgpu/vortex, hw/rtl/tcu/tfr. What it leaves open (NaN, Inf, scales, signs of
// zeros) is as in the other models.
#pragma once
#include "golden/reference/dot_word.h"

namespace golden {

/// A step over `length` products and the addend:
///   1. each is truncated toward zero at 2^(e - fraction_bits), e the largest exponent among those
///      that are not zero; what is left is added
///   2. where anything but zeros was cut off and the sum is not zero, its magnitude is taken for a
///      little more than it is: too little to reach another number or a tie
///   3. rounded to nearest; a subnormal result becomes a zero with its sign
struct sticky_fused {
  std::size_t length = 8;
  int fraction_bits = 24;
  output_format output = outputs::ieee_rne_fp32;
};

[[nodiscard]] rounded dot(const sticky_fused& rule, const dot_word& word);

}  // namespace golden
