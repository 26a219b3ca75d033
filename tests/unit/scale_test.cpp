// SPDX-License-Identifier: Apache-2.0
// tests/unit/scale_test.cpp: mx/scale.h.
#include <algorithm>
#include <cmath>
#include <random>

#include "catch.h"
#include "mx/scale.h"

namespace {

using mx::e8m0;
using mx::format;
using mx::scale_rule;
using mx::unpacked;
constexpr scale_rule both_rules[] = {scale_rule::floor, scale_rule::rceil};

int exponent_for(float amax, scale_rule rule) {
  return mx::shared_scale<mx::formats::e2m1>(rule, mx::unpack(amax)).exponent();
}

TEST_CASE("floor_takes_the_binade_of_amax_and_rceil_the_first_scale_that_does_not_saturate") {
  // max * 2^e as an exact integer, in units of 2^-20; every amax up to 2^12 of these units.
  for (const format f :
       {mx::formats::e2m1, format{3, 2, 3, mx::specials::none}, format{1, 2, 0, mx::specials::none},
        format{3, 1, 2, mx::specials::ieee}}) {
    const int unit = -20, largest_exponent = f.emax() - f.fraction_bits - unit;
    const auto largest = [&](int e) {
      return std::ldexp(static_cast<double>(f.max_significand()), largest_exponent + e);
    };
    for (std::uint64_t amax = 1; amax < 4096; ++amax) {
      const unpacked value = unpacked::finite(false, amax, unit);
      int binade = 0, first = -60;
      while (amax >> (binade + 1) != 0) ++binade;
      while (largest(first) < static_cast<double>(amax)) ++first;
      REQUIRE(mx::shared_exponent(f, scale_rule::floor, value) == binade + unit - f.emax());
      REQUIRE(mx::shared_exponent(f, scale_rule::rceil, value) == first);
    }
  }
}

TEST_CASE("scaling_amax_by_a_power_of_two_moves_only_the_exponent") {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    const float x = std::ldexp(static_cast<float>((random() >> 8) | 1), -24);
    for (const scale_rule rule : both_rules) {
      const int at_one = exponent_for(x, rule);
      for (const int power : {-100, -7, -1, 1, 30, 90}) {
        REQUIRE(exponent_for(std::ldexp(x, power), rule) == at_one + power);
      }
    }
  }
}

TEST_CASE("a_larger_amax_never_gets_a_smaller_scale_and_rceil_is_floor_or_one_above") {
  for (const scale_rule rule : both_rules) {
    int last = -127;
    for (std::uint32_t bits = 1; bits < 0x7F800000; bits += 9973) {
      const int exponent = exponent_for(mx::float_of(bits), rule);
      REQUIRE(exponent >= last);
      last = exponent;
      const int above = exponent_for(mx::float_of(bits), scale_rule::rceil) -
                        exponent_for(mx::float_of(bits), scale_rule::floor);
      REQUIRE((above == 0 || above == 1));
    }
  }
}

TEST_CASE("one_ulp_beside_the_thresholds_decides") {
  for (int k = -100; k <= 120; ++k) {
    const float six = std::ldexp(6.0F, k), four = std::ldexp(4.0F, k);
    const float above_six = mx::float_of(mx::bits_of(six) + 1);
    const float below_four = mx::float_of(mx::bits_of(four) - 1);
    CHECK(exponent_for(six, scale_rule::rceil) == k);
    CHECK(exponent_for(above_six, scale_rule::rceil) == k + 1);
    CHECK(exponent_for(four, scale_rule::floor) == k);
    CHECK(exponent_for(below_four, scale_rule::floor) == k - 1);
    CHECK(exponent_for(above_six, scale_rule::floor) == k);
  }
}

TEST_CASE("amax_at_the_ends_of_binary32_gets_a_scale_inside_the_range") {
  CHECK(exponent_for(0x1.fffffep+127F, scale_rule::floor) == 125);
  CHECK(exponent_for(0x1.fffffep+127F, scale_rule::rceil) == 126);
  CHECK(exponent_for(0x1.8p+127F, scale_rule::rceil) == 125);
  for (const scale_rule rule : both_rules) {
    CHECK(exponent_for(0x1p-149F, rule) == -127);
    CHECK(exponent_for(0x1p-126F, rule) == -127);
    CHECK(exponent_for(0x1p-125F, rule) == -127);
    CHECK(exponent_for(0x1p-124F, rule) == -126);
    CHECK(mx::shared_scale<mx::formats::e2m1>(rule, mx::unpack(0.0F)) == e8m0::smallest());
    CHECK(mx::shared_scale<mx::formats::e2m1>(rule, mx::unpack(-0.0F)) == e8m0::smallest());
  }
}

}  // namespace
