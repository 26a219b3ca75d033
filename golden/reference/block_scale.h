// SPDX-License-Identifier: Apache-2.0
// golden/reference/block_scale.h: the scale of a block, in any scale format.
#pragma once
#include "golden/reference/scale_rule.h"

namespace golden {

/// A scale that is not rounded to any format. It has no code.
inline constexpr const number_format* unrounded = nullptr;

struct block_scale {
  std::uint32_t code = 0;  ///< 0 where the scale is unrounded
  number value;
};

/// The scale that a code stands for.
[[nodiscard]] block_scale scale_of_code(const number_format& format, std::uint32_t code);

/// The scale of a block that holds a NaN or an Inf.
[[nodiscard]] block_scale nan_scale_of(const number_format* format);

/// The scale that a rule chooses; its value is finite.
///   format  a format of scales, or unrounded
///   zeros   a block of zeros takes code 0: the smallest scale, a zero where there is one
///   power   2^e of a shared exponent, in a format with a zero the nearest, but never that zero
/// The rules ideal and static_four give the nearest to amax / max and amax / 4, ties to the even
/// code. In a format with fraction bits, further rules give the scale itself:
///   rceil        the smallest scale s with max s >= amax, the largest where there is none
///   floor6       the largest positive s with max s <= amax, the smallest where there is none
///   mse          ideal's, one code less or one code more, these two as far as positive: the least
///                sum of squared errors, the earlier one of equals
///   static_four  as above; in E8M0 it is a shared exponent
/// Unrounded they are amax / max (rceil, floor6, mse, ideal) and amax / 4 (static_four).
///   four_over_six  for E2M1, in a format with fraction bits: the nearest to amax / 6, or that to
///                  amax / 4 where it has the strictly smaller error; both saturate
///   errors         std::invalid_argument for four_over_six and static_four in other formats
[[nodiscard]] block_scale choose_scale(const exact_block& block, const number_format& element,
                                       const number_format* format, scale_rule rule);

}  // namespace golden
