// SPDX-License-Identifier: Apache-2.0
// tests/unit/rounding_test.cpp: mx/rounding.h.
#include "mx/rounding.h"
#include "catch.h"

namespace {

constexpr mx::rounding even = mx::rounding::ties_to_even;

/// value / 2^distance to the nearest integer, ties to the even one, by comparison of remainders.
std::uint64_t nearest_even(std::uint64_t value, int distance) {
  const std::uint64_t unit = std::uint64_t{1} << distance;
  const std::uint64_t below = value / unit, twice = value % unit * 2;
  if (twice != unit) return twice > unit ? below + 1 : below;
  return below % 2 == 0 ? below : below + 1;
}

TEST_CASE("the_increment_is_taken_above_the_tie_and_at_the_tie_of_an_odd_number") {
  for (std::uint64_t bits = 0; bits < 8; ++bits) {
    const std::uint64_t lsb = bits >> 2, half = bits >> 1 & 1, sticky = bits & 1;
    const bool up = half == 1 && (sticky == 1 || lsb == 1);
    CHECK(mx::round_increment(lsb, half, sticky, even) == (up ? 1 : 0));
  }
}

TEST_CASE("every_small_integer_is_rounded_to_the_nearest_at_every_distance") {
  for (std::uint64_t value = 0; value < 4096; ++value) {
    for (int distance = 0; distance < 15; ++distance) {
      CHECK(mx::shift_right_rounded(value, distance, even) == nearest_even(value, distance));
    }
  }
}

TEST_CASE("what_is_far_below_half_a_unit_becomes_zero") {
  constexpr std::uint64_t largest = (std::uint64_t{1} << 63) - 1;
  CHECK(mx::shift_right_rounded(largest, 63, even) == 1);
  CHECK(mx::shift_right_rounded(largest, 64, even) == 0);
  CHECK(mx::shift_right_rounded(std::uint64_t{1} << 62, 63, even) == 0);  // a tie above an even 0
  CHECK(mx::shift_right_rounded((std::uint64_t{1} << 62) + 1, 63, even) == 1);
  for (const int distance : {65, 66, 100, 100000}) {
    CHECK(mx::shift_right_rounded(largest, distance, even) == 0);
  }
}

TEST_CASE("ties_of_wide_values_go_to_the_even_integer") {
  for (int distance = 1; distance < 62; ++distance) {
    const std::uint64_t half = std::uint64_t{1} << (distance - 1);
    const std::uint64_t unit = half * 2;
    CHECK(mx::shift_right_rounded(half, distance, even) == 0);
    CHECK(mx::shift_right_rounded(half + 1, distance, even) == 1);
    CHECK(mx::shift_right_rounded(unit + half, distance, even) == 2);
    if (half > 1) CHECK(mx::shift_right_rounded(unit + half - 1, distance, even) == 1);
  }
}

}  // namespace
