// SPDX-License-Identifier: Apache-2.0
// tests/golden/reference/binary32_test.cpp: exact values and FP32 patterns, against hand-computed
// cases and the processor.
#include <cmath>
#include <random>

#include "catch.h"
#include "golden/reference/binary32.h"
#include "golden/reference/dot.h"

namespace {

using golden::bits_of;
using golden::float_of;
using golden::power_of_two;
using golden::rational;
using golden::round_to_binary32;
using golden::zero_sign;

std::uint32_t rounded(const rational& value) {
  return round_to_binary32(value, zero_sign::positive);
}

// The value of a finite double, by the C library's decomposition.
rational exact(double x) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return rational(static_cast<long long>(std::ldexp(fraction, 53))) * power_of_two(exponent - 53);
}

TEST_CASE("fp32_patterns_stand_for_their_ieee_values") {
  CHECK(golden::value_of(1.0F).value() == 1);
  CHECK(golden::value_of(-0.15625F).value() == rational(-5, 32));
  CHECK(golden::value_of(float_of(0x00000001)).value() == power_of_two(-149));
  CHECK(golden::value_of(float_of(0x007fffff)).value() == 0x7fffff * power_of_two(-149));
  CHECK(golden::value_of(float_of(0x00800000)).value() == power_of_two(-126));
  CHECK(golden::value_of(float_of(0x7f7fffff)).value() == 0xffffff * power_of_two(104));
  CHECK(golden::value_of(-0.0F).negative);
  CHECK_FALSE(golden::is_finite(float_of(0x7f800000)));
  CHECK_FALSE(golden::is_finite(float_of(0xffc00001)));
}

TEST_CASE("an_fp32_value_rounds_to_its_own_pattern") {
  std::mt19937 random(1);
  for (std::uint32_t field = 0; field < 255; ++field) {
    const auto any = static_cast<std::uint32_t>(random() % 0x800000U);
    for (const std::uint32_t fraction : {0U, 1U, 0x400000U, 0x7fffffU, any}) {
      const std::uint32_t bits = (any % 2 == 0 ? 0x80000000U : 0U) + field * 0x800000U + fraction;
      const bool negative = bits >= 0x80000000U;
      const auto zero = negative ? zero_sign::negative : zero_sign::positive;
      REQUIRE(round_to_binary32(golden::value_of(float_of(bits)).value(), zero) == bits);
    }
  }
}

TEST_CASE("rounding_to_fp32_takes_the_nearest_and_of_ties_the_even") {
  const rational half_ulp = power_of_two(-24);  // of 1
  const rational little = power_of_two(-60);
  CHECK(rounded(1 + half_ulp) == 0x3f800000);
  CHECK(rounded(1 + half_ulp + little) == 0x3f800001);
  CHECK(rounded(1 + 3 * half_ulp) == 0x3f800002);
  CHECK(rounded(1 + 3 * half_ulp - little) == 0x3f800001);
  CHECK(rounded(rational(1, 3)) == 0x3eaaaaab);
  CHECK(rounded(rational(-1, 10)) == 0xbdcccccd);
  CHECK(rounded(2 - power_of_two(-25)) == 0x40000000);
}

TEST_CASE("rounding_to_fp32_keeps_subnormals_and_overflows_to_infinity") {
  const rational tiniest = power_of_two(-149);
  CHECK(rounded(tiniest / 2) == 0x00000000);
  CHECK(rounded(-tiniest / 2) == 0x80000000);
  CHECK(rounded(tiniest * rational(501, 1000)) == 0x00000001);
  CHECK(rounded(tiniest * rational(3, 2)) == 0x00000002);
  CHECK(rounded(power_of_two(-126) - tiniest / 2) == 0x00800000);
  CHECK(rounded(power_of_two(-400)) == 0);
  const rational largest = 0xffffff * power_of_two(104);
  CHECK(rounded(largest + power_of_two(103) - 1) == 0x7f7fffff);
  CHECK(rounded(largest + power_of_two(103)) == 0x7f800000);
  CHECK(rounded(-power_of_two(128)) == 0xff800000);
  CHECK(rounded(power_of_two(300)) == 0x7f800000);
  CHECK(round_to_binary32(0, zero_sign::negative) == 0x80000000);
}

TEST_CASE("rounding_to_fp32_agrees_with_the_processor") {
  std::mt19937_64 random(2);
  for (int i = 0; i < 3000; ++i) {
    const double x =
        std::ldexp(static_cast<double>(random()) - 0x1p63, static_cast<int>(random() % 300) - 220);
    REQUIRE(rounded(exact(x)) == bits_of(static_cast<float>(x)));
  }
}

TEST_CASE("rounding_to_bf16_takes_the_nearest_and_of_ties_the_even") {
  const auto rounded16 = [](const rational& x) {
    return golden::round_to_bfloat16(x, zero_sign::positive);
  };
  CHECK(rounded16(1) == 0x3f80);
  CHECK(rounded16(1 + power_of_two(-8)) == 0x3f80);
  CHECK(rounded16(1 + 3 * power_of_two(-8)) == 0x3f82);
  CHECK(rounded16(-power_of_two(-133)) == 0x8001);
  CHECK(rounded16(0xff * power_of_two(120)) == 0x7f7f);
  CHECK(rounded16(golden::value_of(float_of(0x7f7fffff)).value()) == 0x7f80);
}

TEST_CASE("a_fused_multiply_add_agrees_with_the_c_library") {
  std::mt19937 random(3);
  const auto any_float = [&] { return float_of(random()); };
  const auto near_one = [&] { return float_of((random() & 0x81ffffffU) | 0x3e000000U); };
  for (int i = 0; i < 4000; ++i) {
    const bool wide = i % 2 == 0;
    const float b = wide ? any_float() : near_one();
    const float c = wide ? any_float() : near_one();
    const float a = i % 3 == 0 ? -b * c : (wide ? any_float() : near_one());
    const float expected = std::fma(b, c, a);
    const float found = golden::fused_multiply_add(a, b, c);
    if (std::isnan(expected)) {
      REQUIRE(bits_of(found) == golden::canonical_nan);
    } else {
      REQUIRE(bits_of(found) == bits_of(expected));
    }
  }
}

TEST_CASE("a_fused_multiply_add_gives_zeros_infinities_and_nans_their_ieee_results") {
  const std::vector<float> specials = {0.0F,
                                       -0.0F,
                                       1.0F,
                                       -1.0F,
                                       float_of(1),
                                       float_of(0x7f800000),
                                       float_of(0xff800000),
                                       float_of(0x7fc00000)};
  for (const float a : specials) {
    for (const float b : specials) {
      for (const float c : specials) {
        const float expected = std::fma(b, c, a);
        const std::uint32_t bits = std::isnan(expected) ? golden::canonical_nan : bits_of(expected);
        REQUIRE(bits_of(golden::fused_multiply_add(a, b, c)) == bits);
      }
    }
  }
}

TEST_CASE("a_dot_product_rounds_once_a_product_in_order") {
  CHECK(golden::dot_fma({}, {}) == 0.0F);
  // 2^24 + 1 is a tie that falls back to 2^24, twice; in the other order the ones meet first.
  CHECK(golden::dot_fma({0x1p24F, 1, 1}, {1, 1, 1}) == 0x1p24F);
  CHECK(golden::dot_fma({1, 1, 0x1p24F}, {1, 1, 1}) == 0x1.000002p24F);
  // Products are not rounded on their own: with u = 2^-23, (1 + u)^2 - (1 + 2u) leaves u^2.
  CHECK(golden::dot_fma({-0x1.000004p0F, 0x1.000002p0F}, {1, 0x1.000002p0F}) == 0x1p-46F);
  // -0 needs every term to be -0, and the sum begins at +0.
  CHECK(bits_of(golden::dot_fma({-0.0F}, {1})) == 0);
  CHECK(bits_of(golden::dot_fma({-0x1p-100F, -0.0F}, {0x1p-100F, 1})) == 0x80000000);
}

}  // namespace
