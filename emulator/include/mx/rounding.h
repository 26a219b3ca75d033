// SPDX-License-Identifier: Apache-2.0
// mx/rounding.h: the tie rule, in the one place where it is decided.
#pragma once
#include <cstdint>

#include "mx/bits.h"

namespace mx {

enum class rounding : std::uint8_t { ties_to_even };

/// What is done with a rounded magnitude that exceeds the largest finite one.
enum class overflow : std::uint8_t { saturate, to_infinity };

/// 1 where the kept bits must be incremented, else 0.
///   lsb     lowest kept bit
///   half    highest bit that was cut off
///   sticky  OR of all lower bits that were cut off
[[nodiscard]] MX_HD constexpr std::uint64_t round_increment(std::uint64_t lsb, std::uint64_t half,
                                                            std::uint64_t sticky,
                                                            rounding mode) noexcept {
  switch (mode) {
    case rounding::ties_to_even:
      return half & (sticky | lsb);
  }
  return 0;
}

/// value / 2^distance, rounded to an integer.
///   distance  >= 0, may exceed 63
///   value     below 2^63, so that the increment cannot overflow
[[nodiscard]] MX_HD constexpr std::uint64_t shift_right_rounded(std::uint64_t value, int distance,
                                                                rounding mode) noexcept {
  const std::uint64_t kept_and_two =
      distance >= 2 ? shift_right_sticky(value, distance - 2) : value << (2 - distance);
  const std::uint64_t kept = kept_and_two >> 2;
  return kept + round_increment(kept & 1, (kept_and_two >> 1) & 1, kept_and_two & 1, mode);
}

static_assert(shift_right_rounded(0b101, 1, rounding::ties_to_even) == 0b10);
static_assert(shift_right_rounded(0b111, 1, rounding::ties_to_even) == 0b100);
static_assert(shift_right_rounded(0b1011, 2, rounding::ties_to_even) == 0b11);
static_assert(shift_right_rounded(5, 0, rounding::ties_to_even) == 5);

}  // namespace mx
