// SPDX-License-Identifier: Apache-2.0
// tests/golden/reference/output_format_test.cpp: one rounding, against the lists of numbers of FP32
// and FP16.
#include "golden/reference/output_format.h"

#include <random>

#include "catch.h"
#include "golden/reference/binary32.h"
#include "golden/reference/formats.h"
#include "golden/reference/operand_format.h"

namespace {

namespace formats = golden::formats;
namespace outputs = golden::outputs;
using golden::output_format;
using golden::power_of_two;
using golden::rational;
using golden::rounding;
using golden::term;

term finite(const rational& value) {
  return {golden::number_kind::finite, value < 0, golden::dyadic_of(value), 0};
}

term zero(bool negative) { return {golden::number_kind::finite, negative, {}, 0}; }

std::uint32_t rounded_bits(const output_format& to, const rational& value) {
  return golden::rounded_exact_sum(to, {finite(value)}).bits;
}

// A value of a few to many bits, in any binade of the format and around it; often a tie or beside.
rational random_value(std::mt19937& random, const output_format& to) {
  const int span = to.emax - to.emin + to.fraction_bits + 8;
  const int exponent = to.emin - to.fraction_bits - 4 + static_cast<int>(random() % span);
  const rational places = (random() >> (31 - to.fraction_bits)) + rational(random() % 3, 2);
  const rational beside = rational(static_cast<int>(random() % 3) - 1) * power_of_two(-40);
  const rational value = (places + beside) * power_of_two(exponent - to.fraction_bits);
  return random() % 2 == 0 ? value : rational(-value);
}

// The next number of the list toward zero or the nearest; beyond the largest there is Inf, for the
// nearest from half a place above it.
std::uint32_t listed(const golden::number_format& format, const rational& value, rounding mode) {
  const rational ulp = format.largest() - format.magnitude(format.magnitudes() - 2);
  const rational limit =
      format.largest() + (mode == rounding::toward_zero ? ulp : rational(ulp / 2));
  const rational magnitude = abs(value);
  const std::uint32_t code =
      magnitude >= limit ? format.magnitudes() : golden::rounded_magnitude(format, magnitude, mode);
  return (value < 0 ? 1U << (format.width() - 1) : 0U) + code;
}

// NVIDIA's zeros are +0.
std::uint32_t without_minus_zero(const output_format& to, std::uint32_t bits) {
  return bits == 1U << (to.width - 1) ? 0 : bits;
}

TEST_CASE("results_are_numbers_of_the_list_of_their_format") {
  std::mt19937 random(3);
  for (int i = 0; i < 20000; ++i) {
    const rational x = random_value(random, outputs::rz_fp32);
    const std::uint32_t cut = listed(formats::fp32(), x, rounding::toward_zero);
    REQUIRE(rounded_bits(outputs::ieee_rz_fp32, x) == cut);
    REQUIRE(rounded_bits(outputs::rz_fp32, x) == without_minus_zero(outputs::rz_fp32, cut));
    const auto near = golden::round_to_binary32(x, golden::zero_sign::positive);
    REQUIRE(rounded_bits(outputs::ieee_rne_fp32, x) == near);
    const rational half = random_value(random, outputs::rne_fp16);
    const std::uint32_t nearest = listed(formats::fp16(), half, rounding::nearest_even);
    REQUIRE(rounded_bits(outputs::rne_fp16, half) ==
            without_minus_zero(outputs::rne_fp16, nearest));
  }
}

TEST_CASE("e8m13_is_fp32_cut_off_after_13_fraction_bits") {
  std::mt19937 random(4);
  for (int i = 0; i < 5000; ++i) {
    const rational x = random_value(random, outputs::rz_e8m13);
    const std::uint32_t fp32 = rounded_bits(outputs::rz_fp32, x);
    REQUIRE(rounded_bits(outputs::rz_e8m13, x) ==
            without_minus_zero(outputs::rz_e8m13, fp32 / 1024 * 1024));
  }
  CHECK(rounded_bits(outputs::rz_e8m13, 2 - power_of_two(-30)) == 0x3ffffc00);
  CHECK(rounded_bits(outputs::rz_e8m13, power_of_two(-139)) == 1024);
  CHECK(rounded_bits(outputs::rz_e8m13, -power_of_two(-140)) == 0);
}

TEST_CASE("the_next_step_reads_what_the_bits_stand_for") {
  std::mt19937 random(5);
  for (int i = 0; i < 5000; ++i) {
    for (const output_format& to : {outputs::rz_fp32, outputs::rz_e8m13, outputs::rne_fp16}) {
      const auto result = golden::rounded_exact_sum(to, {finite(random_value(random, to))});
      const auto& format = to.width == 16 ? formats::fp16() : formats::fp32();
      const term read = golden::operands_of(format).read(result.bits);
      REQUIRE(result.value.kind == read.kind);
      REQUIRE(result.value.negative == read.negative);
      REQUIRE(rational_of(result.value.value) == rational_of(read.value));
      if (!read.is_zero()) REQUIRE(result.value.exponent == read.exponent);
    }
  }
}

TEST_CASE("beyond_the_largest_there_is_infinity_in_both_directions_of_rounding") {
  CHECK(rounded_bits(outputs::rz_fp32, power_of_two(128) - 1) == 0x7f7fffff);
  CHECK(rounded_bits(outputs::rz_fp32, power_of_two(128)) == 0x7f800000);
  CHECK(rounded_bits(outputs::rz_fp32, -power_of_two(700)) == 0xff800000);
  CHECK(rounded_bits(outputs::rz_e8m13, power_of_two(128) - 1) == 0x7f7ffc00);
  CHECK(rounded_bits(outputs::rz_e8m13, power_of_two(128)) == 0x7f800000);
  CHECK(rounded_bits(outputs::rne_fp16, 65519) == 0x7bff);
  CHECK(rounded_bits(outputs::rne_fp16, -65520) == 0xfc00);
}

TEST_CASE("zero_results_of_nvidia_are_positive") {
  for (const output_format& to :
       {outputs::rz_fp32, outputs::rz_e8m13, outputs::nvidia_rne_fp32, outputs::rne_fp16}) {
    const int least = to.emin - to.fraction_bits;
    CHECK(golden::rounded_exact_sum(to, {zero(true), zero(true)}).bits == 0);
    const golden::rounded lost = golden::rounded_exact_sum(to, {finite(-power_of_two(least - 2))});
    CHECK(lost.bits == 0);
    CHECK_FALSE(lost.value.negative);
    CHECK(golden::rounded_exact_sum(to, {finite(-power_of_two(least)), zero(true)}).bits ==
          (1U << (to.width - 1)) + (1U << to.unused_bits));
  }
}

TEST_CASE("a_zero_sum_is_negative_only_where_every_term_is_a_negative_zero") {
  const output_format& to = outputs::ieee_rz_fp32;
  CHECK(golden::rounded_exact_sum(to, {zero(true), zero(true)}).bits == 0x80000000);
  CHECK(golden::rounded_exact_sum(to, {zero(true), zero(false)}).bits == 0);
  CHECK(golden::rounded_exact_sum(to, {finite(-1), finite(1)}).bits == 0);
  CHECK(golden::rounded_exact_sum(to, {finite(-1), finite(1), zero(true)}).bits == 0);
  CHECK(golden::rounded_sum(to, {}, {finite(-1), zero(true)}).bits == 0);
  CHECK(golden::rounded_exact_sum(to, {finite(-power_of_two(-150)), zero(false)}).bits ==
        0x80000000);
  CHECK(golden::rounded_exact_sum(outputs::ieee_rne_fp32, {finite(-power_of_two(-150))}).bits ==
        0x80000000);
}

TEST_CASE("a_nan_wins_over_infinities_and_opposite_infinities_are_one") {
  const term plus = golden::infinite_term(false);
  const term minus = golden::infinite_term(true);
  const term nan = golden::nan_term();
  const auto bits = [](const output_format& to, const std::vector<term>& terms) {
    return golden::rounded_exact_sum(to, terms).bits;
  };
  CHECK(bits(outputs::rz_fp32, {plus, finite(-1)}) == 0x7f800000);
  CHECK(bits(outputs::rz_e8m13, {finite(1), minus, minus}) == 0xff800000);
  CHECK(bits(outputs::rne_fp16, {minus}) == 0xfc00);
  CHECK(bits(outputs::rz_fp32, {plus, minus}) == 0x7fffffff);
  CHECK(bits(outputs::rz_e8m13, {plus, minus, plus}) == 0x7fffffff);
  CHECK(bits(outputs::rz_fp32, {plus, nan}) == 0x7fffffff);
  CHECK(bits(outputs::rne_fp16, {nan, minus}) == 0x7fff);
  CHECK(bits(outputs::nvidia_rne_fp32, {nan}) == 0x7fffffff);
  CHECK(bits(outputs::ieee_rne_fp32, {plus, minus}) == 0x7fc00000);
}

TEST_CASE("products_follow_the_rules_of_zero_and_infinity") {
  const term inf = golden::infinite_term(true);
  CHECK(product(inf, zero(false)).kind == golden::number_kind::nan);
  CHECK(product(zero(true), inf).kind == golden::number_kind::nan);
  CHECK(product(inf, golden::nan_term()).kind == golden::number_kind::nan);
  CHECK(product(inf, finite(-2)).negative == false);
  CHECK(product(inf, finite(2)).kind == golden::number_kind::infinite);
  CHECK(product(zero(true), finite(2)).negative);
  CHECK(scaled(finite(-2), zero(false)).negative == false);
  CHECK(scaled(zero(true), zero(false)).negative);
  CHECK(scaled(zero(true), golden::nan_term()).kind == golden::number_kind::nan);
}

}  // namespace
