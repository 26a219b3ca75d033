// SPDX-License-Identifier: Apache-2.0
// mx/number/rounding.h: the tie rule, in the one place where it is decided.
// Source: IEEE 754-2019, clause 4.3 (nearest, toward zero); PTX ISA, cvt.rs (stochastic: round away
// where adding the random bits to the discarded ones carries out).
#pragma once
#include <cstdint>

#include "mx/number/bits.h"

namespace mx {

/// Of magnitudes: every mode is symmetric in the sign.
///   ties_to_even      nearest, a tie to the even code
///   ties_away         nearest, a tie away from zero
///   ties_toward_zero  nearest, a tie toward zero
///   toward_zero       cut off
///   away_from_zero    up, unless exact
///   stochastic        up with the probability of the discarded part, cut to the random bits
enum class rounding : std::uint8_t {
  ties_to_even,
  ties_away,
  ties_toward_zero,
  toward_zero,
  away_from_zero,
  stochastic
};

/// What is done with a rounded magnitude that exceeds the largest finite one.
///   saturate     the largest finite magnitude
///   to_infinity  Inf; NaN where the format has no Inf; the largest where it has neither
enum class overflow : std::uint8_t { saturate, to_infinity };

/// A rounding with all that it needs to decide.
///   random_bits  of stochastic: 1 to 24      random  below 2^random_bits
struct rounder {
  rounding mode = rounding::ties_to_even;
  int random_bits = 0;
  std::uint32_t random = 0;

  // A mode that draws no random bits is a rounder by itself.
  // NOLINTNEXTLINE(google-explicit-constructor)
  MX_HD constexpr rounder(rounding m) noexcept : mode(m) {}
  MX_HD constexpr rounder(int bits, std::uint32_t drawn) noexcept
      : mode(rounding::stochastic), random_bits(bits), random(drawn) {}
};

/// 1 where the kept bits must be incremented, else 0. Not for stochastic.
///   lsb     lowest kept bit
///   half    highest bit that was cut off
///   sticky  OR of all lower bits that were cut off
[[nodiscard]] MX_HD constexpr std::uint64_t round_increment(std::uint64_t lsb, std::uint64_t half,
                                                            std::uint64_t sticky,
                                                            rounding mode) noexcept {
  switch (mode) {
    case rounding::ties_to_even:
      return half & (sticky | lsb);
    case rounding::ties_away:
      return half;
    case rounding::ties_toward_zero:
      return half & sticky;
    case rounding::away_from_zero:
      return half | sticky;
    case rounding::toward_zero:
    case rounding::stochastic:
      break;
  }
  return 0;
}

/// floor(value / 2^distance + random / 2^bits), the quotient cut to `bits` fraction bits before.
///   value  its whole part value / 2^distance is below 2^39
[[nodiscard]] MX_HD constexpr std::uint64_t shift_right_random(std::uint64_t value, int distance,
                                                               int bits,
                                                               std::uint32_t random) noexcept {
  return (shifted_by(value, bits - distance) + random) >> bits;
}

/// value / 2^distance, rounded to an integer.
///   distance  >= 0, may exceed 63
///   value     below 2^63, so that the increment cannot overflow
///   odd       what the lowest kept bit is XORed with before ties to even look at it
[[nodiscard]] MX_HD constexpr std::uint64_t shift_right_rounded(std::uint64_t value, int distance,
                                                                const rounder& how,
                                                                std::uint64_t odd = 0) noexcept {
  if (how.mode == rounding::stochastic) {
    return shift_right_random(value, distance, how.random_bits, how.random);
  }
  const std::uint64_t kept_and_two =
      shift_right_sticky(value << larger_of(2 - distance, 0), larger_of(distance - 2, 0));
  const std::uint64_t kept = kept_and_two >> 2;
  const std::uint64_t lsb = (kept ^ odd) & 1;
  return kept + round_increment(lsb, (kept_and_two >> 1) & 1, kept_and_two & 1, how.mode);
}

static_assert(shift_right_rounded(0b101, 1, rounding::ties_to_even) == 0b10);
static_assert(shift_right_rounded(0b111, 1, rounding::ties_to_even) == 0b100);
static_assert(shift_right_rounded(0b101, 1, rounding::ties_away) == 0b11);
static_assert(shift_right_rounded(0b111, 1, rounding::ties_toward_zero) == 0b11);
static_assert(shift_right_rounded(0b1011, 2, rounding::ties_to_even) == 0b11);
static_assert(shift_right_rounded(0b1001, 2, rounding::away_from_zero) == 0b11);
static_assert(shift_right_rounded(5, 0, rounding::ties_to_even) == 5);
static_assert(shift_right_rounded(0b1001, 2, rounder(2, 0b11)) == 0b11);  // 1/4 + 3/4 carries
static_assert(shift_right_rounded(0b1001, 2, rounder(2, 0b10)) == 0b10);

}  // namespace mx
