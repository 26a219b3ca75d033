// SPDX-License-Identifier: Apache-2.0
// tests/unit/number/rounding_test.cpp: mx/number/rounding.h.
#include "mx/number/rounding.h"
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

/// The integer that value / 2^distance is rounded to, from the remainder and half of the unit.
std::uint64_t rounded(std::uint64_t value, int distance, mx::rounding mode) {
  const std::uint64_t unit = std::uint64_t{1} << distance;
  const std::uint64_t below = value / unit, twice = value % unit * 2;
  switch (mode) {
    case mx::rounding::ties_to_even:
      return nearest_even(value, distance);
    case mx::rounding::ties_away:
      return below + (twice >= unit ? 1 : 0);
    case mx::rounding::ties_toward_zero:
      return below + (twice > unit ? 1 : 0);
    case mx::rounding::away_from_zero:
      return below + (twice != 0 ? 1 : 0);
    case mx::rounding::toward_zero:
    case mx::rounding::stochastic:
      break;
  }
  return below;
}

TEST_CASE("every_small_integer_is_rounded_by_its_remainder_in_every_mode") {
  for (const mx::rounding mode :
       {mx::rounding::ties_to_even, mx::rounding::ties_away, mx::rounding::ties_toward_zero,
        mx::rounding::toward_zero, mx::rounding::away_from_zero}) {
    for (std::uint64_t value = 0; value < 2048; ++value) {
      for (int distance = 0; distance < 14; ++distance) {
        REQUIRE(mx::shift_right_rounded(value, distance, mode) == rounded(value, distance, mode));
      }
    }
  }
}

TEST_CASE("an_odd_offset_turns_the_side_of_ties_to_even_and_of_nothing_else") {
  for (std::uint64_t value = 0; value < 256; ++value) {
    const bool tie = value % 8 == 4;
    const std::uint64_t plain = mx::shift_right_rounded(value, 3, even);
    const std::uint64_t turned = mx::shift_right_rounded(value, 3, even, 1);
    CHECK((turned != plain) == tie);
    CHECK(mx::shift_right_rounded(value, 3, even, 2) == plain);
    CHECK(mx::shift_right_rounded(value, 3, mx::rounding::ties_away, 1) ==
          mx::shift_right_rounded(value, 3, mx::rounding::ties_away));
  }
}

TEST_CASE("of_all_draws_as_many_round_up_as_the_cut_remainder_says") {
  for (int bits = 1; bits <= 6; ++bits) {
    for (int distance = 0; distance <= 9; ++distance) {
      for (std::uint64_t value = 0; value < 1500; value += 7) {
        const std::uint64_t unit = std::uint64_t{1} << distance;
        const std::uint64_t share = (value % unit << bits) / unit;
        std::uint64_t up = 0;
        for (std::uint32_t random = 0; random < 1U << bits; ++random) {
          const std::uint64_t found = mx::shift_right_rounded(value, distance, {bits, random});
          REQUIRE(found - value / unit <= 1);
          up += found - value / unit;
          // The larger draws round up.
          REQUIRE((found > value / unit) == (random + share >= std::uint64_t{1} << bits));
        }
        REQUIRE(up == share);
      }
    }
  }
}

TEST_CASE("what_is_far_below_the_random_bits_never_rounds_up") {
  constexpr std::uint64_t largest = (std::uint64_t{1} << 62) - 1;
  for (const int distance : {87, 88, 100, 64 + 24, 100000}) {
    CHECK(mx::shift_right_rounded(largest, distance, {24, (1U << 24) - 1}) == 0);
  }
  CHECK(mx::shift_right_rounded(largest, 62 + 3, {4, 15}) == 1);
  CHECK(mx::shift_right_rounded(largest, 62 + 3, {4, 14}) == 0);
  for (const int distance : {63, 64, 200}) {
    CHECK(mx::shift_right_rounded(1, distance, mx::rounding::away_from_zero) == 1);
    CHECK(mx::shift_right_rounded(0, distance, mx::rounding::away_from_zero) == 0);
    CHECK(mx::shift_right_rounded(largest, distance, mx::rounding::ties_away) ==
          (distance < 63 ? 1 : 0));
  }
}

}  // namespace
