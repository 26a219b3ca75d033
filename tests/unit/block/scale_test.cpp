// SPDX-License-Identifier: Apache-2.0
// tests/unit/block/scale_test.cpp: mx/block/scale.h.
#include <algorithm>
#include <cmath>
#include <random>

#include "catch.h"
#include "mx/block/scale.h"

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
      const unpacked value = unpacked::positive(amax, unit);
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

TEST_CASE("every_rule_takes_the_exponent_of_its_definition_for_every_small_amax") {
  // A double is exact for amax, for the numbers of a format, and for powers of two times them.
  for (const format f :
       {mx::formats::e2m1, mx::formats::e2m3, mx::formats::e3m2, mx::formats::e4m3,
        mx::formats::e5m2, mx::formats::int8, mx::formats::e4m3fnuz, mx::formats::e5m2fnuz}) {
    const auto value = [&](std::uint32_t code) {
      const unpacked x = mx::decode(f, code);
      return std::ldexp(static_cast<double>(x.significand), x.exponent);
    };
    const double largest = value(f.max_code());
    const double step = largest - value(f.max_code() - 1);
    const double power = std::exp2(f.emax());
    const auto smallest = [](double bound, double amax) {  // e with bound * 2^e >= amax
      int e = -100;
      while (std::ldexp(bound, e) < amax) ++e;
      return e;
    };
    for (std::uint64_t size = 1; size < 5000; ++size) {
      const double amax = std::ldexp(static_cast<double>(size), -7);
      const unpacked exact = unpacked::positive(size, -7);
      const auto found = [&](scale_rule rule) { return mx::shared_exponent(f, rule, exact); };
      const int log2 = std::ilogb(amax);
      const double edge = 2 - std::ldexp(1.0, -(f.fraction_bits + 1));
      REQUIRE(found(scale_rule::floor) == log2 - f.emax());
      REQUIRE(found(scale_rule::ceil) == smallest(1.0, amax) - f.emax());
      REQUIRE(found(scale_rule::even) ==
              log2 - f.emax() + (std::ldexp(amax, -log2) >= edge ? 1 : 0));
      REQUIRE(found(scale_rule::rceil) == smallest(largest, amax));
      const int first = smallest(largest, amax);
      REQUIRE(found(scale_rule::floor6) ==
              (std::ldexp(largest, first) == amax ? first : first - 1));
      REQUIRE(found(scale_rule::midmax) == smallest((largest + 2 * power) / 2, amax));
      const int tie = smallest(largest + step / 2, amax);
      REQUIRE(found(scale_rule::overflow_aware) ==
              (std::ldexp(largest + step / 2, tie) == amax ? tie + 1 : tie));
    }
  }
}

TEST_CASE("witnesses_of_public_kernels_have_their_exact_scale_bytes") {
  struct row {
    std::uint32_t amax;
    int floor, ceil, even, rceil, floor6;
  };
  for (const row r :
       {row{0x00000000, 0, 0, 0, 0, 0}, row{0x3F800000, 125, 125, 125, 125, 124},
        row{0x40A00000, 127, 128, 127, 127, 126}, row{0x40C00000, 127, 128, 127, 127, 127},
        row{0x40C00001, 127, 128, 127, 128, 127}, row{0x40DFAE14, 127, 128, 127, 128, 127},
        row{0x40E00000, 127, 128, 128, 128, 127}, row{0x40FFFFFF, 127, 128, 128, 128, 127},
        row{0x41000000, 128, 128, 128, 128, 127}, row{0x407FFFFF, 126, 127, 127, 127, 126},
        row{0x40800001, 127, 128, 127, 127, 126}, row{0x01400000, 0, 1, 0, 0, 0},
        row{0x01000000, 0, 0, 0, 0, 0}, row{0x00800000, 0, 0, 0, 0, 0},
        row{0x00400000, 0, 0, 0, 0, 0}, row{0x00000001, 0, 0, 0, 0, 0},
        row{0x7F600000, 252, 253, 253, 253, 252}, row{0x7F7FFFFF, 252, 253, 253, 253, 252}}) {
    const auto byte = [&](scale_rule rule) {
      return mx::shared_scale<mx::formats::e2m1>(rule, mx::unpack(mx::float_of(r.amax))).code;
    };
    INFO("amax " << r.amax);
    CHECK(byte(scale_rule::floor) == r.floor);
    CHECK(byte(scale_rule::ceil) == r.ceil);
    CHECK(byte(scale_rule::even) == r.even);
    CHECK(byte(scale_rule::rceil) == r.rceil);
    CHECK(byte(scale_rule::floor6) == r.floor6);
  }
}

TEST_CASE("overflow_aware_is_even_for_e2m1_and_midmax_differs_from_it_at_the_tie_alone") {
  for (std::uint32_t bits = 0x00800000; bits < 0x7F800000; bits += 4001) {
    const std::uint32_t beside = bits % 3 == 0 ? (bits & 0x7F800000) | 0x600000 : bits;
    const float amax = mx::float_of(beside);
    const int aware = exponent_for(amax, scale_rule::overflow_aware);
    REQUIRE(aware == exponent_for(amax, scale_rule::even));
    const bool tie = (beside & 0x7FFFFF) == 0x600000 && beside >= 0x01000000;
    REQUIRE(aware - exponent_for(amax, scale_rule::midmax) == (tie ? 1 : 0));
  }
}

TEST_CASE("which_rules_are_powers_of_two_of_amax_alone") {
  for (const scale_rule rule :
       {scale_rule::floor, scale_rule::rceil, scale_rule::ceil, scale_rule::even,
        scale_rule::floor6, scale_rule::midmax, scale_rule::overflow_aware}) {
    CHECK(mx::is_power_of_two_rule(rule));
  }
  for (const scale_rule rule : {scale_rule::static_four, scale_rule::ideal, scale_rule::mse,
                                scale_rule::quest, scale_rule::four_over_six_mse,
                                scale_rule::four_over_six_mae, scale_rule::four_over_six_abs_max}) {
    CHECK_FALSE(mx::is_power_of_two_rule(rule));
  }
}

}  // namespace
