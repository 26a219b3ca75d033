// SPDX-License-Identifier: Apache-2.0
// tests/unit/block/corrections_test.cpp: mx/block/corrections.h.
#include <cmath>
#include <random>

#include "catch.h"
#include "mx/block/corrections.h"

namespace {

using mx::e8m0;
using mx::macro_factor;
using mx::scale_rule;

bool same(float a, float b) { return mx::bits_of(a) == mx::bits_of(b); }

/// Whether n / 2^bits * amax <= 6 * 2^k, as integers.
bool fits(std::uint64_t n, int bits, const mx::unpacked& amax, int k) {
  return mx::compare_magnitudes(mx::multiplied(amax, n), mx::unpacked::positive(6, bits + k)) <= 0;
}

void check_factor(float amax, int bits) {
  const mx::unpacked exact = mx::unpack(amax);
  const macro_factor f = mx::macro_factor_of(exact, bits);
  const int k = mx::shared_exponent<mx::formats::e2m1>(scale_rule::rceil, exact);
  REQUIRE(f.bits == bits);
  REQUIRE(f.fraction < std::uint32_t{1} << bits);
  REQUIRE(fits(f.numerator(), bits, exact, k));
  const bool last = f.fraction + 1 == std::uint32_t{1} << bits;
  REQUIRE((last || !fits(f.numerator() + 1, bits, exact, k)));
}

TEST_CASE("the_macro_factor_is_the_largest_that_keeps_amax_inside_its_octave") {
  std::mt19937 random(1);
  for (int i = 0; i < 30000; ++i) {
    std::uint32_t bits = static_cast<std::uint32_t>(random()) & 0x7FFFFFFF;
    if (i % 3 == 0) bits &= 0x7FFF8000;                                // few bits: exact quotients
    if (i % 3 == 1) bits = (bits & 0x7F800000) | 0x400000 | bits % 5;  // around 6
    if (bits == 0 || bits >= 0x7F800000) continue;
    check_factor(mx::float_of(bits), 8);
    check_factor(mx::float_of(bits), 1 + i % 16);
  }
  for (std::uint32_t subnormal = 1; subnormal < 300; ++subnormal) {
    check_factor(mx::float_of(subnormal), 8);
  }
  check_factor(0x1.fffffep+127F, 8);
}

TEST_CASE("the_macro_factor_of_a_fraction_that_rounding_would_raise_is_cut") {
  // 6 / amax = 1 + 255.99.../256 would round up to 2, which jumps an octave.
  const float amax = mx::float_of(mx::bits_of(3.0F) + 1);
  CHECK(mx::macro_factor_of(mx::unpack(amax), 8).fraction == 255);
  CHECK(mx::macro_factor_of(mx::unpack(3.0F), 8).fraction == 0);
}

TEST_CASE("a_macro_block_of_zeros_has_the_factor_1") {
  CHECK(mx::macro_factor_of(mx::unpack(0.0F), 8) == macro_factor{8, 0});
  CHECK(mx::macro_factor_of(mx::unpack(-0.0F), 3) == macro_factor{3, 0});
}

TEST_CASE("the_macro_factor_depends_on_the_fraction_of_amax_alone") {
  for (std::uint32_t fraction = 0; fraction < 0x800000; fraction += 4099) {
    const float amax = mx::float_of(0x3F800000 | fraction);
    const macro_factor f = mx::macro_factor_of(mx::unpack(amax), 8);
    for (const int power : {-120, -3, 7, 126}) {
      REQUIRE(mx::macro_factor_of(mx::unpack(std::ldexp(amax, power)), 8) == f);
    }
  }
}

TEST_CASE("the_factor_times_a_number_is_exact") {
  const macro_factor f{8, 77};
  for (const float x : {1.0F, -3.25F, 0x1.fffffep+20F, 0x1p-149F}) {
    const mx::unpacked product = f.times(mx::unpack(x));
    const double value = std::ldexp(static_cast<double>(product.significand), product.exponent);
    CHECK((product.negative ? -value : value) == double{x} * (1 + 77 / 256.0));
  }
}

TEST_CASE("no_block_under_the_factor_takes_another_octave_than_amax_alone_would") {
  std::mt19937 random(2);
  for (int i = 0; i < 20000; ++i) {
    const float amax = mx::float_of(static_cast<std::uint32_t>(random()) % 0x70000000 + 0x1000000);
    const mx::unpacked exact = mx::unpack(amax);
    const macro_factor f = mx::macro_factor_of(exact, 8);
    REQUIRE(mx::shared_exponent<mx::formats::e2m1>(scale_rule::rceil, f.times(exact)) ==
            mx::shared_exponent<mx::formats::e2m1>(scale_rule::rceil, exact));
  }
}

TEST_CASE("the_factor_1_is_the_plain_quantizer") {
  std::mt19937 random(3);
  for (int i = 0; i < 20000; ++i) {
    const float x = mx::float_of((random() & 0x807FFFFF) | (random() % 20 + 110) << 23);
    const e8m0 scale{static_cast<std::uint8_t>(120 + random() % 10)};
    const float plain = mx::dequantize(mx::quantize_element(mx::unpack(x), scale), scale);
    REQUIRE(same(mx::quantize_with_factor(mx::unpack(x), scale, {8, 0}), plain));
  }
}

TEST_CASE("a_quantized_value_is_divided_by_the_factor_with_one_rounding") {
  std::mt19937 random(4);
  for (int i = 0; i < 50000; ++i) {
    const macro_factor f{8, static_cast<std::uint32_t>(random() % 256)};
    const float x = mx::float_of((random() & 0x807FFFFF) | (random() % 20 + 110) << 23);
    const e8m0 scale{static_cast<std::uint8_t>(120 + random() % 10)};
    // f x has at most 33 bits, the quotient of a grid point by f is rounded by the machine.
    const double product = double{x} * (1 + f.fraction / 256.0);
    int exponent = 0;
    const double fraction = std::frexp(std::fabs(product), &exponent);
    const mx::unpacked exact = mx::unpacked::finite(
        product < 0, static_cast<std::uint64_t>(std::ldexp(fraction, 40)), exponent - 40);
    const float on_grid = mx::dequantize(mx::quantize_element(exact, scale), scale);
    const float expected = on_grid / (1 + static_cast<float>(f.fraction) / 256.0F);
    REQUIRE(same(mx::quantize_with_factor(mx::unpack(x), scale, f), expected));
  }
}

TEST_CASE("the_residual_is_added_with_one_rounding") {
  CHECK(mx::with_residual(1.0F, 0.5F, 0x1p-22F) == 1.0F + 0x1p-23F);
  CHECK(mx::with_residual(-(1.0F + 0x1p-11F), 1.0F + 0x1p-12F, 1.0F + 0x1p-12F) == 0x1p-24F);
  CHECK(same(mx::with_residual(-0.0F, 0.5F, -0.0F), -0.0F));
}

TEST_CASE("the_macro_factor_of_any_element_format_is_the_largest_that_keeps_amax_below_max") {
  std::mt19937 random(5);
  for (const mx::format& element :
       {mx::formats::e2m1, mx::formats::e2m3, mx::formats::e3m2, mx::formats::e4m3,
        mx::formats::e5m2, mx::formats::int8, mx::formats::e5m2fnuz}) {
    const mx::unpacked largest = mx::largest_of(element);
    for (int i = 0; i < 3000; ++i) {
      const int bits = 1 + i % 16;
      const auto pattern = static_cast<std::uint32_t>(random());
      const float amax = i % 3 == 0 ? mx::to_binary32(largest) * std::ldexp(1.0F, i % 9)
                                    : mx::float_of(pattern % 0x7F7FFFFFU + 1);
      const mx::unpacked exact = mx::unpack(amax);
      const macro_factor f = mx::macro_factor_of(element, exact, bits);
      const int k = mx::shared_exponent(element, scale_rule::rceil, exact);
      const mx::unpacked bound = largest.scaled_by_power_of_two(bits + k);
      REQUIRE(f.fraction < 1U << bits);
      REQUIRE(mx::compare_magnitudes(mx::multiplied(exact, f.numerator()), bound) <= 0);
      REQUIRE(mx::compare_magnitudes(mx::multiplied(exact, f.numerator() + 1), bound) > 0);
    }
  }
}

TEST_CASE("the_prefactor_is_the_product_of_factor_and_gain") {
  const auto value = [](const mx::unpacked& x) {
    return std::ldexp(static_cast<double>(x.significand), x.exponent);
  };
  for (const int bits : {1, 8, 16}) {
    for (std::uint32_t fraction = 0; fraction < 1U << bits; fraction += 1 + (fraction >> 5)) {
      const macro_factor f{bits, fraction};
      const double factor = 1 + std::ldexp(static_cast<double>(fraction), -bits);
      const auto check = [&](mx::pre_gain gain, double numerator, double denominator) {
        const mx::prefactor p = mx::prefactor_of(f, gain);
        REQUIRE(value(p.numerator) * denominator == value(p.denominator) * factor * numerator);
        const mx::scale_ratio scale{mx::unpack(5.0F), mx::unpack(3.0F)};
        const mx::scale_ratio seen = mx::with_prefactor(scale, p);
        REQUIRE(value(seen.numerator) * 3 * factor * numerator ==
                value(seen.denominator) * 5 * denominator);
      };
      check(mx::pre_gain::one, 1, 1);
      check(mx::pre_gain::three_quarters, 3, 4);
      check(mx::pre_gain::sixteen_seventeenths, 16, 17);
    }
  }
}

}  // namespace
