// SPDX-License-Identifier: Apache-2.0
// tests/golden/reference/block_scale_test.cpp: the scales of blocks in every scale format.
#include <stdexcept>

#include "catch.h"
#include "golden/reference/binary32.h"
#include "golden/reference/block_scale.h"
#include "golden/reference/formats.h"

namespace {

namespace formats = golden::formats;
using golden::exact_block;
using golden::number_format;
using golden::power_of_two;
using golden::rational;
using golden::scale_rule;

constexpr scale_rule four_over_six[] = {scale_rule::four_over_six_mse,
                                        scale_rule::four_over_six_mae,
                                        scale_rule::four_over_six_abs_max};

exact_block block_of(const std::vector<rational>& values) {
  exact_block block;
  for (const rational& x : values) block.push_back({x < 0, abs(x)});
  return block;
}

std::uint32_t code_of(const std::vector<rational>& values, const number_format& format,
                      scale_rule rule, const number_format& element = formats::e2m1()) {
  return golden::choose_scale(block_of(values), element, &format, rule).code;
}

TEST_CASE("the_ideal_e8m0_scale_is_the_nearest_power_of_two_by_value") {
  const number_format& e8m0 = formats::e8m(0);
  const auto byte = [&](const rational& ratio) {
    return code_of({6 * ratio}, e8m0, scale_rule::ideal);
  };
  CHECK(byte(1) == 127);
  CHECK(byte(rational(3, 2)) == 128);
  CHECK(byte(3) == 128);
  CHECK(byte(3 + power_of_two(-40)) == 129);
  CHECK(byte(rational(5, 4) * power_of_two(-127)) == 0);
  CHECK(byte(power_of_two(-149)) == 0);
  CHECK(byte(rational(5, 4) * power_of_two(127)) == 254);
  CHECK(byte(rational(3, 2) * power_of_two(127)) == 254);
}

TEST_CASE("the_ideal_ue4m3_scale_is_the_nearest_and_of_ties_the_even") {
  const auto code = [](const rational& ratio) {
    return code_of({6 * ratio, 1}, formats::ue4m3(), scale_rule::ideal);
  };
  CHECK(code(256) == 0x78);
  CHECK(code(rational(17, 16)) == 0x38);
  CHECK(code(rational(19, 16)) == 0x3a);
  CHECK(code(448) == 0x7e);
  CHECK(code(10000) == 0x7e);
  const auto tiny = [](const rational& ratio) {
    return code_of({6 * ratio}, formats::ue4m3(), scale_rule::ideal);
  };
  CHECK(tiny(15 * power_of_two(-10)) == 0x08);
  CHECK(tiny(power_of_two(-10)) == 0x00);
  CHECK(tiny(power_of_two(-10) + power_of_two(-40)) == 0x01);
}

TEST_CASE("the_ideal_scale_in_fp32_is_the_rounded_ratio") {
  CHECK(code_of({1}, formats::fp32(), scale_rule::ideal, formats::e4m3()) == 0x3b124925);
  CHECK(code_of({448}, formats::fp32(), scale_rule::ideal, formats::e4m3()) == 0x3f800000);
  CHECK(code_of({power_of_two(-149)}, formats::fp32(), scale_rule::ideal) == 0);
}

TEST_CASE("the_ideal_scale_with_fraction_bits_comes_closer") {
  CHECK(code_of({7}, formats::e8m(1), scale_rule::ideal) == 127 * 2);      // 1.1667 to 1
  CHECK(code_of({8}, formats::e8m(1), scale_rule::ideal) == 127 * 2 + 1);  // 1.3333 to 1.5
  CHECK(code_of({7}, formats::e8m(2), scale_rule::ideal) == 127 * 4 + 1);  // to 1.25
  CHECK(code_of({7}, formats::e8m(3), scale_rule::ideal) == 127 * 8 + 1);  // to 1.125
  CHECK(code_of({7}, formats::e8m(16), scale_rule::ideal) == (127U << 16) + 10923);
  CHECK(code_of({7}, formats::ue5m3(), scale_rule::ideal) == 15 * 8 + 1);
}

TEST_CASE("an_unrounded_scale_is_the_ratio_itself_or_the_power_of_two") {
  const auto value = [](scale_rule rule) {
    const exact_block block = block_of({7, -1});
    return golden::choose_scale(block, formats::e2m1(), golden::unrounded, rule)
        .value.value.magnitude;
  };
  CHECK(value(scale_rule::ideal) == rational(7, 6));
  CHECK(value(scale_rule::rceil) == rational(7, 6));
  CHECK(value(scale_rule::floor6) == rational(7, 6));
  CHECK(value(scale_rule::static_four) == rational(7, 4));
  CHECK(value(scale_rule::floor) == 1);
  CHECK(value(scale_rule::even) == 2);
}

TEST_CASE("rceil_and_floor6_enclose_the_ratio_in_formats_with_fraction_bits") {
  const auto up = [](const rational& amax, const number_format& format) {
    return code_of({amax}, format, scale_rule::rceil);
  };
  const auto down = [](const rational& amax, const number_format& format) {
    return code_of({amax}, format, scale_rule::floor6);
  };
  const number_format& ue4m3 = formats::ue4m3();
  CHECK(up(6, ue4m3) == 0x38);
  CHECK(up(6 + power_of_two(-40), ue4m3) == 0x39);
  CHECK(down(6, ue4m3) == 0x38);
  CHECK(down(6 - power_of_two(-40), ue4m3) == 0x37);
  CHECK(up(power_of_two(-30), ue4m3) == 1);
  CHECK(down(power_of_two(-30), ue4m3) == 1);
  CHECK(up(10000, ue4m3) == 0x7e);
  CHECK(down(10000, ue4m3) == 0x7e);
  CHECK(up(7, formats::e8m(1)) == 127 * 2 + 1);
  CHECK(down(7, formats::e8m(1)) == 127 * 2);
  CHECK(down(power_of_two(-149), formats::e8m(1)) == 0);
  CHECK(up(1, formats::fp32()) == 0x3e2aaaab);
  CHECK(down(1, formats::fp32()) == 0x3e2aaaaa);
}

TEST_CASE("a_power_of_two_goes_into_other_formats_as_the_nearest_but_not_as_zero") {
  CHECK(code_of({6}, formats::ue4m3(), scale_rule::floor) == 0x38);
  CHECK(code_of({6}, formats::ue4m3(), scale_rule::midmax) == 0x38);
  CHECK(code_of({6}, formats::e8m(4), scale_rule::ceil) == 128 * 16);
  CHECK(code_of({4 * power_of_two(-9)}, formats::ue4m3(), scale_rule::floor) == 1);
  CHECK(code_of({4 * power_of_two(-10)}, formats::ue4m3(), scale_rule::floor) == 1);
  CHECK(code_of({4 * power_of_two(-30)}, formats::ue4m3(), scale_rule::even) == 1);
  CHECK(code_of({4 * power_of_two(20)}, formats::ue4m3(), scale_rule::floor) == 0x7e);
  CHECK(code_of({4 * power_of_two(16)}, formats::ue5m3(), scale_rule::floor) == 0xf8);
  CHECK(code_of({power_of_two(-149)}, formats::fp32(), scale_rule::floor) == 0x00400000);
}

TEST_CASE("static_four_rounds_a_quarter_of_amax_where_there_are_fraction_bits") {
  CHECK(code_of({4}, formats::ue4m3(), scale_rule::static_four) == 0x38);
  CHECK(code_of({rational(17, 4)}, formats::ue4m3(), scale_rule::static_four) == 0x38);
  CHECK(code_of({rational(9, 2)}, formats::ue4m3(), scale_rule::static_four) == 0x39);
  CHECK(code_of({5}, formats::e8m(0), scale_rule::static_four) == 128);
}

TEST_CASE("the_mse_rule_looks_at_the_codes_beside_the_ideal_one") {
  const number_format& ue4m3 = formats::ue4m3();
  // 25/24 rounds to 1. At 9/8 the last three are exact, which outweighs 6.25 going to 6.75.
  const rational quarter(25, 4);
  CHECK(code_of({quarter}, ue4m3, scale_rule::mse) == 0x38);
  CHECK(code_of({quarter, rational(9, 2), rational(27, 8), rational(9, 4)}, ue4m3,
                scale_rule::mse) == 0x39);
  // At 15/16 all but the first are exact, and there are enough of them.
  CHECK(code_of({6, rational(15, 4), rational(15, 4), rational(-45, 16), rational(-45, 32)}, ue4m3,
                scale_rule::mse) == 0x37);
  // The ideal one is 0 and stays if the smallest positive one is no better.
  CHECK(code_of({power_of_two(-20)}, ue4m3, scale_rule::mse) == 0);
  CHECK(code_of({power_of_two(-9)}, ue4m3, scale_rule::mse) == 1);
  // From the smallest positive one the search does not go down to 0.
  CHECK(code_of({power_of_two(-7)}, ue4m3, scale_rule::mse) == 1);
  CHECK(code_of({power_of_two(20)}, ue4m3, scale_rule::mse) == 0x7e);
}

TEST_CASE("four_over_six_takes_the_smaller_error_by_its_measure") {
  struct row {
    std::vector<rational> block;
    std::uint32_t mse, mae, abs_max;
  };
  const auto quarters = [](int a, int b, int c, int d) {
    return std::vector<rational>{rational(a) / 4, rational(-b) / 4, rational(c) / 4,
                                 rational(-d) / 4};
  };
  const row table[] = {
      {quarters(24, 1, 2, 2), 0x38, 0x38, 0x38},    {quarters(24, 19, 6, 19), 0x3c, 0x3c, 0x3c},
      {quarters(24, 1, 18, 21), 0x3c, 0x3c, 0x38},  {quarters(24, 14, 20, 16), 0x3c, 0x38, 0x3c},
      {quarters(24, 15, 18, 10), 0x38, 0x3c, 0x38}, {quarters(24, 10, 14, 2), 0x3c, 0x38, 0x38},
      {quarters(24, 16, 19, 16), 0x38, 0x38, 0x3c},
  };
  for (const row& expected : table) {
    CHECK(code_of(expected.block, formats::ue4m3(), four_over_six[0]) == expected.mse);
    CHECK(code_of(expected.block, formats::ue4m3(), four_over_six[1]) == expected.mae);
    CHECK(code_of(expected.block, formats::ue4m3(), four_over_six[2]) == expected.abs_max);
  }
}

TEST_CASE("four_over_six_prefers_six_and_is_bounded_by_the_largest_scale") {
  for (const scale_rule rule : four_over_six) {
    CHECK(code_of({6}, formats::ue4m3(), rule) == 0x38);
    CHECK(code_of({-6, 4, -3}, formats::ue4m3(), rule) == 0x38);
    CHECK(code_of({6, 5}, formats::ue4m3(), rule) == 0x3c);
    CHECK(code_of({6, 5}, formats::ue5m3(), rule) == 15 * 8 + 4);
    CHECK(code_of({6 * 448}, formats::ue4m3(), rule) == 0x7e);
    CHECK(code_of({6 * 448, 5 * 448}, formats::ue4m3(), rule) == 0x7e);
    CHECK(code_of({power_of_two(-20)}, formats::ue4m3(), rule) == 0);
    CHECK_THROWS_AS(code_of({6}, formats::e8m(0), rule), std::invalid_argument);
    CHECK_THROWS_AS(code_of({6}, formats::ue4m3(), rule, formats::e4m3()), std::invalid_argument);
  }
}

TEST_CASE("a_block_of_zeros_takes_the_first_scale_of_its_format") {
  for (const scale_rule rule : {scale_rule::floor, scale_rule::ideal, scale_rule::mse,
                                scale_rule::quest, scale_rule::rceil}) {
    for (const number_format* format :
         {&formats::e8m(0), &formats::e8m(5), &formats::ue4m3(), &formats::fp32()}) {
      CHECK(code_of({0, 0}, *format, rule) == 0);
    }
  }
  const exact_block zeros = block_of({0});
  CHECK(golden::choose_scale(zeros, formats::e2m1(), golden::unrounded, scale_rule::ideal)
            .value.value.magnitude == 0);
}

TEST_CASE("the_nan_scale_is_the_nan_of_its_format") {
  CHECK(golden::nan_scale_of(&formats::e8m(0)).code == 255);
  CHECK(golden::nan_scale_of(&formats::e8m(3)).code == 255 * 8);
  CHECK(golden::nan_scale_of(&formats::ue4m3()).code == 127);
  CHECK(golden::nan_scale_of(&formats::ue5m3()).code == 255);
  CHECK(golden::nan_scale_of(golden::unrounded).value.kind == golden::number_kind::nan);
}

}  // namespace
