// SPDX-License-Identifier: Apache-2.0
// golden/reference/scale_rule.h: the shared exponent of a block, rule by rule.
// Source: OCP Microscaling Formats (MX) v1.0, clause 6.3 (floor); arXiv 2605.20402, where rceil is
// called ceil; torchao (ceil, even, rceil); Triton, its first ROUND_DOWN (floor6); Brevitas
// (midmax); arXiv 2603.08713 (overflow_aware); four-over-six, arXiv 2512.02010 (static_four and
// the searches); Quartet, arXiv 2505.14669 (quest).
#pragma once
#include "golden/reference/number_format.h"

namespace golden {

/// How a block's scale follows from its elements. amax is their largest magnitude, max and emax
/// belong to the element format, m is its number of fraction bits.
/// Rules for a shared exponent e:
///   floor           floor(log2 amax) - emax
///   rceil           the smallest e with max 2^e >= amax
///   ceil            ceil(log2 amax) - emax
///   even            floor's, plus one from amax = (2 - 2^-(m+1)) 2^floor(log2 amax) on
///   floor6          the largest e with max 2^e <= amax
///   midmax          the smallest e with (max + 2^(emax+1)) / 2 * 2^e >= amax
///   overflow_aware  the smallest e with (max + u / 2) 2^e > amax, u the step from max to what
///                   would be the next number
///   static_four     the smallest e with 4 * 2^e >= amax; elements are E2M1
///   mse             rceil's, one less or one more: the least sum of squared errors, the earlier
///                   one of equals
///   quest           the largest e with max 2^e <= 2.92247856 std; -127 where std is 0
/// Rules for a scale (block_scale.h), in any format:
///   ideal                  amax / max
///   four_over_six_mse, _mae, _abs_max   amax / 6, or amax / 4 where that has the smaller error
enum class scale_rule : unsigned char {
  floor,
  rceil,
  ceil,
  even,
  floor6,
  midmax,
  overflow_aware,
  static_four,
  mse,
  quest,
  ideal,
  four_over_six_mse,
  four_over_six_mae,
  four_over_six_abs_max
};

using exact_block = std::vector<signed_value>;

[[nodiscard]] rational amax_of(const exact_block& block);

/// Shared exponent, clamped to [-127, 127].
///   block   not all zeros
///   quest   std is that of the elements cut toward zero to multiples of 2^(floor(log2 amax) - 30)
///   errors  std::invalid_argument for ideal and four_over_six
[[nodiscard]] int shared_exponent(const exact_block& block, const number_format& element,
                                  scale_rule rule);

}  // namespace golden
