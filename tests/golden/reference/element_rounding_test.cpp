// SPDX-License-Identifier: Apache-2.0
// tests/golden/reference/element_rounding_test.cpp: the roundings of elements on and beside ties,
// their thresholds, and every probability of stochastic rounding.
#include <random>

#include "catch.h"
#include "golden/reference/binary32.h"
#include "golden/reference/formats.h"
#include "golden/reference/threshold.h"

namespace {

namespace formats = golden::formats;
using golden::number_format;
using golden::power_of_two;
using golden::rational;
using golden::rounded_element;
using golden::rounded_magnitude;
using golden::rounding;

constexpr rounding deterministic[] = {rounding::nearest_even, rounding::nearest_away,
                                      rounding::toward_zero, rounding::nearest_zero};

TEST_CASE("e2m1_ties_go_where_each_rounding_sends_them") {
  struct row {
    rational x;
    std::uint32_t even, away, down, zero;
  };
  const row table[] = {
      {{1, 4}, 0, 1, 0, 0}, {{3, 4}, 2, 2, 1, 1}, {{5, 4}, 2, 3, 2, 2}, {{7, 4}, 4, 4, 3, 3},
      {{5, 2}, 4, 5, 4, 4}, {{7, 2}, 6, 6, 5, 5}, {5, 6, 7, 6, 6},      {{13, 2}, 7, 7, 7, 7},
      {7, 7, 7, 7, 7},      {8, 7, 7, 7, 7},
  };
  for (const row& expected : table) {
    const auto code = [&](rounding mode) {
      return rounded_magnitude(formats::e2m1(), expected.x, mode);
    };
    CHECK(code(rounding::nearest_even) == expected.even);
    CHECK(code(rounding::nearest_away) == expected.away);
    CHECK(code(rounding::toward_zero) == expected.down);
    CHECK(code(rounding::nearest_zero) == expected.zero);
  }
}

TEST_CASE("the_sign_of_what_becomes_zero_is_kept_where_the_format_can") {
  const golden::signed_value little{true, power_of_two(-40)};
  for (const rounding mode : deterministic) {
    CHECK(rounded_element(formats::e2m1(), little, mode) == 8);
    CHECK(rounded_element(formats::e5m2(), little, mode) == 0x80);
    CHECK(rounded_element(formats::int8(), little, mode) == 0);
    CHECK(rounded_element(formats::e4m3fnuz(), little, mode) == 0);
  }
}

TEST_CASE("everything_beyond_the_largest_magnitude_saturates") {
  for (const number_format* format : formats::elements()) {
    for (const rounding mode : deterministic) {
      const golden::signed_value huge{true, power_of_two(127)};
      const std::uint32_t lowest = format->with_sign(true, format->magnitudes() - 1);
      CHECK(rounded_element(*format, huge, mode) == lowest);
      CHECK(rounded_magnitude(*format, format->largest() + power_of_two(-60), mode) ==
            format->magnitudes() - 1);
    }
    CHECK(rounded_magnitude(*format, format->largest() + power_of_two(-60), rounding::stochastic,
                            {255, 8}) == format->magnitudes() - 1);
  }
  CHECK(rounded_element(formats::int8(), {true, 2}, rounding::nearest_even) == 0x81);
  CHECK(rounded_element(formats::e5m2(), {false, 61440}, rounding::nearest_even) == 0x7b);
}

TEST_CASE("scales_without_a_zero_take_their_smallest_for_anything_below") {
  CHECK(rounded_magnitude(formats::e8m(0), power_of_two(-140), rounding::nearest_even) == 0);
  CHECK(rounded_magnitude(formats::e8m(0), rational(3, 2) * power_of_two(-127),
                          rounding::nearest_even) == 0);
  CHECK(rounded_magnitude(formats::e8m(0), rational(3, 2) * power_of_two(-126),
                          rounding::nearest_even) == 2);
}

TEST_CASE("roundings_to_16_and_32_bits_agree_with_the_ones_of_patterns") {
  std::mt19937_64 random(11);
  for (int i = 0; i < 300; ++i) {
    const rational x = rational(random() % 0x3ffffffU) * power_of_two(int(random() % 150) - 100);
    REQUIRE(rounded_magnitude(formats::fp32(), x, rounding::nearest_even) ==
            golden::round_to_binary32(x, golden::zero_sign::positive));
    REQUIRE(rounded_magnitude(formats::bf16(), x, rounding::nearest_even) ==
            golden::round_to_bfloat16(x, golden::zero_sign::positive));
  }
}

TEST_CASE("thresholds_of_e2m1_are_the_midpoints_or_the_next_magnitudes") {
  const std::vector<golden::threshold> even = thresholds(formats::e2m1(), rounding::nearest_even);
  REQUIRE(even.size() == 7);
  CHECK(even[0].at == rational(1, 4));
  CHECK(even[0].tie == golden::tie_side::lower);
  CHECK(even[0].last_lower_binary32 == 0x3e800000);
  CHECK(even[1].tie == golden::tie_side::upper);
  CHECK(even[1].last_lower_binary32 == 0x3f3fffff);
  CHECK(even[6].at == 5);
  CHECK(even[6].last_lower_binary32 == 0x40a00000);
  CHECK(thresholds(formats::e2m1(), rounding::nearest_away)[0].last_lower_binary32 == 0x3e7fffff);
  CHECK(thresholds(formats::e2m1(), rounding::nearest_zero)[1].last_lower_binary32 == 0x3f400000);
  const golden::threshold down = thresholds(formats::e2m1(), rounding::toward_zero)[6];
  CHECK(down.at == 6);
  CHECK(down.last_lower_binary32 == 0x40bfffff);
  CHECK_THROWS_AS(thresholds(formats::e2m1(), rounding::stochastic), std::invalid_argument);
}

TEST_CASE("the_code_of_a_number_is_the_count_of_thresholds_it_has_passed") {
  for (const number_format* format : formats::elements()) {
    for (const rounding mode : deterministic) {
      for (const golden::threshold& step : thresholds(*format, mode)) {
        INFO(format->name() << " above code " << step.lower_code);
        const auto code = [&](std::uint32_t bits) {
          const rational x = golden::value_of(golden::float_of(bits)).magnitude;
          return rounded_magnitude(*format, x, mode);
        };
        REQUIRE(code(step.last_lower_binary32) == step.lower_code);
        REQUIRE(code(step.last_lower_binary32 + 1) == step.lower_code + 1);
        const bool stays = step.tie == golden::tie_side::lower;
        REQUIRE(rounded_magnitude(*format, step.at, mode) == step.lower_code + (stays ? 0U : 1U));
      }
    }
  }
}

// Number of the 2^bits draws that round up.
std::uint32_t draws_up(const number_format& format, const rational& x, std::uint32_t lower,
                       int bits) {
  std::uint32_t up = 0;
  for (std::uint32_t value = 0; value < 1U << bits; ++value) {
    const std::uint32_t code = rounded_magnitude(format, x, rounding::stochastic, {value, bits});
    REQUIRE((code == lower || code == lower + 1));
    up += code - lower;
  }
  return up;
}

TEST_CASE("stochastic_rounding_goes_up_as_often_as_the_cut_place_says") {
  for (const int bits : {1, 3, 8}) {
    const std::uint32_t all = 1U << bits;
    for (std::uint32_t k = 0; k < all; ++k) {
      const rational delta(k, all);
      CHECK(draws_up(formats::e2m1(), 4 + 2 * delta, 6, bits) == k);
      CHECK(draws_up(formats::e2m1(), delta / 2, 0, bits) == k);
      const rational beside = delta + rational(99, 100 * all);
      CHECK(draws_up(formats::e2m1(), 1 + beside / 2, 2, bits) == k);
    }
  }
  CHECK(draws_up(formats::e4m3(), rational(1, 1024), 0, 8) == 128);
  CHECK(draws_up(formats::int8(), rational(5, 256), 1, 8) == 64);
}

TEST_CASE("the_largest_draws_carry_first") {
  const rational x(9, 2);  // a quarter of the way from 4 to 6
  const auto code = [&](std::uint32_t value) {
    return rounded_magnitude(formats::e2m1(), x, rounding::stochastic, {value, 8});
  };
  CHECK(code(191) == 6);
  CHECK(code(192) == 7);
  const rational fine = 4 + 2 * power_of_two(-24);
  CHECK(rounded_magnitude(formats::e2m1(), fine, rounding::stochastic, {0xfffffe, 24}) == 6);
  CHECK(rounded_magnitude(formats::e2m1(), fine, rounding::stochastic, {0xffffff, 24}) == 7);
}

}  // namespace
