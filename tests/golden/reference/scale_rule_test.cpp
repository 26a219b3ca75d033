// SPDX-License-Identifier: Apache-2.0
// tests/golden/reference/scale_rule_test.cpp: shared exponents at every threshold of every rule.
#include <random>

#include "catch.h"
#include "golden/reference/binary32.h"
#include "golden/reference/formats.h"
#include "golden/reference/scale_rule.h"

namespace {

namespace formats = golden::formats;
using golden::float_of;
using golden::number_format;
using golden::power_of_two;
using golden::rational;
using golden::scale_rule;

int exponent_of(const rational& amax, scale_rule rule,
                const number_format& element = formats::e2m1()) {
  return golden::shared_exponent({{false, 0}, {true, amax}}, element, rule);
}

int exponent_of_floats(const std::vector<float>& block, scale_rule rule) {
  return golden::shared_exponent(golden::values_of(block), formats::e2m1(), rule);
}

// The exponent is `below` up to `limit`, and one more above it or from it on.
enum class limit_side { below, above };
void check_step(const number_format& element, scale_rule rule, const rational& limit, int below,
                limit_side side) {
  INFO(element.name() << " rule " << static_cast<int>(rule));
  const rational little = power_of_two(-60);
  CHECK(exponent_of(limit - little, rule, element) == below);
  CHECK(exponent_of(limit, rule, element) == (side == limit_side::below ? below : below + 1));
  CHECK(exponent_of(limit + little, rule, element) == below + 1);
}

TEST_CASE("mxfp4_scale_bytes_are_those_of_the_definitions") {
  struct row {
    std::uint32_t amax;
    int floor, ceil, even, rceil, floor6;
  };
  const row table[] = {
      {0x3f800000, 125, 125, 125, 125, 124},  // 1
      {0x40a00000, 127, 128, 127, 127, 126},  // 5
      {0x40c00000, 127, 128, 127, 127, 127},  // 6
      {0x40c00001, 127, 128, 127, 128, 127},  // above 6
      {0x40dfae14, 127, 128, 127, 128, 127},  // 6.99
      {0x40e00000, 127, 128, 128, 128, 127},  // 7
      {0x40ffffff, 127, 128, 128, 128, 127},  // below 8
      {0x41000000, 128, 128, 128, 128, 127},  // 8
      {0x407fffff, 126, 127, 127, 127, 126},  // below 4
      {0x40800001, 127, 128, 127, 127, 126},  // above 4
      {0x01400000, 0, 1, 0, 0, 0},            // 6 * 2^-127
      {0x01000000, 0, 0, 0, 0, 0},            // 2^-125
      {0x00800000, 0, 0, 0, 0, 0},            // 2^-126
      {0x00400000, 0, 0, 0, 0, 0},            // 2^-127
      {0x00000001, 0, 0, 0, 0, 0},            // 2^-149
      {0x7f600000, 252, 253, 253, 253, 252},  // 1.75 * 2^127
      {0x7f7fffff, 252, 253, 253, 253, 252},  // FLT_MAX
  };
  for (const row& expected : table) {
    INFO(expected.amax);
    const auto byte = [&](scale_rule rule) {
      return exponent_of(golden::value_of(float_of(expected.amax)).magnitude, rule) + 127;
    };
    CHECK(byte(scale_rule::floor) == expected.floor);
    CHECK(byte(scale_rule::ceil) == expected.ceil);
    CHECK(byte(scale_rule::even) == expected.even);
    CHECK(byte(scale_rule::rceil) == expected.rceil);
    CHECK(byte(scale_rule::floor6) == expected.floor6);
  }
}

TEST_CASE("each_rule_steps_where_its_definition_says_in_e2m1") {
  const number_format& e2m1 = formats::e2m1();
  check_step(e2m1, scale_rule::floor, 8, 0, limit_side::above);
  check_step(e2m1, scale_rule::ceil, 4, 0, limit_side::below);
  check_step(e2m1, scale_rule::even, 7, 0, limit_side::above);
  check_step(e2m1, scale_rule::rceil, 6, 0, limit_side::below);
  check_step(e2m1, scale_rule::floor6, 6, -1, limit_side::above);
  check_step(e2m1, scale_rule::midmax, 7, 0, limit_side::below);
  check_step(e2m1, scale_rule::overflow_aware, 7, 0, limit_side::above);
  check_step(e2m1, scale_rule::static_four, 4, 0, limit_side::below);
}

TEST_CASE("each_rule_steps_where_its_definition_says_in_other_formats") {
  const number_format& e4m3 = formats::e4m3();
  check_step(e4m3, scale_rule::floor, 512, 0, limit_side::above);
  check_step(e4m3, scale_rule::ceil, 256, 0, limit_side::below);
  check_step(e4m3, scale_rule::even, 256 * rational(31, 16), 0, limit_side::above);
  check_step(e4m3, scale_rule::rceil, 448, 0, limit_side::below);
  check_step(e4m3, scale_rule::floor6, 448, -1, limit_side::above);
  check_step(e4m3, scale_rule::midmax, 480, 0, limit_side::below);
  check_step(e4m3, scale_rule::overflow_aware, 464, 0, limit_side::above);
  check_step(formats::e5m2(), scale_rule::even, 32768 * rational(15, 8), 0, limit_side::above);
  check_step(formats::e5m2(), scale_rule::overflow_aware, 61440, 0, limit_side::above);
  check_step(formats::e3m2(), scale_rule::midmax, 30, 0, limit_side::below);
  check_step(formats::e2m3(), scale_rule::rceil, rational(15, 2), 0, limit_side::below);
  check_step(formats::e2m3(), scale_rule::even, 4 * rational(31, 16), 0, limit_side::above);
  check_step(formats::int8(), scale_rule::floor, 2, 0, limit_side::above);
  check_step(formats::int8(), scale_rule::even, rational(255, 128), 0, limit_side::above);
  check_step(formats::int8(), scale_rule::rceil, rational(127, 64), 0, limit_side::below);
  check_step(formats::int8(), scale_rule::midmax, rational(255, 128), 0, limit_side::below);
  check_step(formats::int8(), scale_rule::overflow_aware, rational(255, 128), 0, limit_side::above);
  check_step(formats::e4m3fnuz(), scale_rule::rceil, 240, 0, limit_side::below);
  check_step(formats::e5m2fnuz(), scale_rule::floor, 65536, 0, limit_side::above);
}

TEST_CASE("exponents_are_clamped_at_both_ends") {
  for (const scale_rule rule :
       {scale_rule::floor, scale_rule::rceil, scale_rule::ceil, scale_rule::even,
        scale_rule::floor6, scale_rule::midmax, scale_rule::overflow_aware, scale_rule::static_four,
        scale_rule::mse, scale_rule::quest}) {
    INFO(static_cast<int>(rule));
    CHECK(exponent_of(power_of_two(-149), rule) == -127);
    CHECK(exponent_of(power_of_two(140), rule) == 127);
  }
}

TEST_CASE("overflow_aware_and_even_are_one_rule_for_e2m1") {
  std::mt19937 random(6);
  for (int i = 0; i < 2000; ++i) {
    const float x = float_of((random() & 0x1ffffffU) + 0x3f000000U);
    const rational amax = golden::value_of(x).magnitude;
    REQUIRE(exponent_of(amax, scale_rule::overflow_aware) == exponent_of(amax, scale_rule::even));
  }
}

TEST_CASE("the_mse_rule_takes_the_least_error_and_the_earlier_of_equals") {
  // 6.5: two halves away at both scales; 0.5 is a half only at the smaller.
  CHECK(exponent_of_floats({6.5F}, scale_rule::mse) == 1);
  CHECK(exponent_of_floats({6.5F, 0.5F}, scale_rule::mse) == 0);
  CHECK(exponent_of_floats({-6.5F, -0.5F}, scale_rule::mse) == 0);
  // 6 and 5 leave 1 at scale 1 and at scale 2, more at one half.
  CHECK(exponent_of_floats({6, 5}, scale_rule::mse) == 0);
  CHECK(exponent_of_floats({5, 5, 5}, scale_rule::mse) == 0);
  // Saturating 7 costs 1; the rest is exact at scale 1 and not at scale 2.
  CHECK(exponent_of_floats({7, 3, 1.5F, .5F}, scale_rule::mse) == 0);
  CHECK(exponent_of_floats({8, 6, 4}, scale_rule::mse) == 1);
}

TEST_CASE("the_quest_rule_follows_the_standard_deviation") {
  // 6 / 2.92247856 lies between these two numbers; of a and -a the deviation is a.
  const float above = float_of(0x40036534);
  const float below = float_of(0x40036533);
  CHECK(exponent_of_floats({above, -above}, scale_rule::quest) == 0);
  CHECK(exponent_of_floats({below, -below}, scale_rule::quest) == -1);
  CHECK(exponent_of_floats({4 * above, -4 * above}, scale_rule::quest) == 2);
  CHECK(exponent_of_floats({2 * above, 0}, scale_rule::quest) == 0);
  CHECK(exponent_of_floats({2 * below, 0}, scale_rule::quest) == -1);
  CHECK(exponent_of_floats({3, 3, 3}, scale_rule::quest) == -127);
  CHECK(golden::shared_exponent({{false, 448}, {true, 448}}, formats::e4m3(), scale_rule::quest) ==
        1);
}

TEST_CASE("the_quest_rule_cuts_elements_toward_zero") {
  // The exact deviation is just enough for exponent 0, and no longer once the small one is cut.
  CHECK(exponent_of_floats({float_of(0x40835b0d), -float_of(0x3aa2639a)}, scale_rule::quest) == -1);
  // Its next multiple of 2^-28 is enough.
  CHECK(exponent_of_floats({float_of(0x40835b0d), -float_of(0x3aa263a0)}, scale_rule::quest) == 0);
  // Magnitudes below the unit vanish.
  CHECK(exponent_of_floats({1, 0x1p-31F}, scale_rule::quest) ==
        exponent_of_floats({1, 0}, scale_rule::quest));
}

TEST_CASE("rules_that_give_no_exponent_say_so") {
  CHECK_THROWS_AS(exponent_of(1, scale_rule::ideal), std::invalid_argument);
  CHECK_THROWS_AS(exponent_of(1, scale_rule::four_over_six_mse), std::invalid_argument);
  CHECK_THROWS_AS(exponent_of(1, scale_rule::static_four, formats::e4m3()), std::invalid_argument);
}

TEST_CASE("binades_of_rationals_are_found_by_comparison") {
  CHECK(golden::floor_log2(1) == 0);
  CHECK(golden::floor_log2(rational(2, 3)) == -1);
  CHECK(golden::floor_log2(power_of_two(-700)) == -700);
  CHECK(golden::ceil_log2(4) == 2);
  CHECK(golden::ceil_log2(rational(13, 3)) == 3);
  CHECK_THROWS_AS(golden::floor_log2(0), std::out_of_range);
}

}  // namespace
