// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/accumulator_test.cpp: mx/dot/accumulator.h against rational numbers.
#include <algorithm>
#include <random>
#include <vector>

#include "catch.h"
#include "golden/reference/rational.h"
#include "mx/dot/accumulator.h"
#include "mx/number/element.h"

namespace {

using golden::power_of_two;
using golden::rational;

rational value_of(const mx::unpacked& x) {
  const rational magnitude = rational(x.significand) * power_of_two(x.exponent);
  return x.negative ? rational(-magnitude) : magnitude;
}

rational absolute(const rational& x) { return x < 0 ? rational(-x) : x; }

/// A sum is exact, or has its 62 leading bits with a sticky bit in the last place.
void check_leading_bits(const mx::unpacked& sum, const rational& exact) {
  if (value_of(sum) == exact) return;
  REQUIRE(mx::bit_width(sum.significand) == 62);
  REQUIRE(sum.significand % 2 == 1);
  // Without the sticky bit it is at most the exact sum, and less than two units below it.
  const rational unit = power_of_two(sum.exponent);
  const rational cut = absolute(value_of(sum)) - unit;
  REQUIRE(sum.negative == (exact < 0));
  REQUIRE(absolute(exact) > cut);
  REQUIRE(absolute(exact) < cut + 2 * unit);
}

/// A term of any size, of one size, or the negative of an earlier one, so that sums cancel.
mx::unpacked random_term(std::mt19937_64& random, const std::vector<mx::unpacked>& before,
                         int spread) {
  if (!before.empty() && random() % 3 == 0) {
    mx::unpacked opposite = before[random() % before.size()];
    opposite.negative = !opposite.negative;
    return opposite;
  }
  const int width = 1 + static_cast<int>(random() % 61);
  const std::uint64_t significand = random() >> (64 - width);
  const int exponent = static_cast<int>(random() % static_cast<unsigned>(2 * spread + 1)) - spread;
  return mx::unpacked::finite(random() % 2 == 0, significand, exponent);
}

TEST_CASE("sums_of_any_spread_are_exact_or_end_in_a_sticky_bit") {
  std::mt19937_64 random(11);
  for (const int spread : {0, 3, 20, 60, 200, 480}) {
    for (int word = 0; word < 300; ++word) {
      mx::exact_sum sum;
      rational exact = 0;
      std::vector<mx::unpacked> terms;
      for (int i = 0; i < 12; ++i) {
        terms.push_back(random_term(random, terms, spread));
        sum.add(terms.back());
        exact += value_of(terms.back());
        check_leading_bits(sum.value(), exact);
      }
    }
  }
}

TEST_CASE("sums_are_exact_where_one_integer_is_just_too_short") {
  for (int width = 57; width <= 61; ++width) {
    for (int distance = 0; distance <= 6; ++distance) {
      const std::uint64_t ones = (std::uint64_t{1} << width) - 1;
      mx::exact_sum sum;
      rational exact = 0;
      for (const int exponent : {0, distance, distance, 0}) {
        sum.add(mx::unpacked::positive(ones, exponent));
        exact += rational(ones) * power_of_two(exponent);
        check_leading_bits(sum.value(), exact);
      }
    }
  }
}

TEST_CASE("the_order_of_terms_does_not_matter") {
  std::mt19937_64 random(12);
  for (int word = 0; word < 500; ++word) {
    std::vector<mx::unpacked> terms;
    for (int i = 0; i < 10; ++i) terms.push_back(random_term(random, terms, 300));
    const auto code_of = [&terms] {
      mx::exact_sum sum;
      for (const mx::unpacked& t : terms) sum.add(t);
      return mx::bits_of(mx::to_binary32(sum.value()));
    };
    const std::uint32_t wanted = code_of();
    std::shuffle(terms.begin(), terms.end(), random);
    REQUIRE(code_of() == wanted);
  }
}

TEST_CASE("carries_and_borrows_run_through_every_limb") {
  mx::wide_fixed sum;
  sum.add(false, 1, mx::wide_fixed::highest_product);
  sum.add(true, 1, mx::wide_fixed::lowest_exponent);  // all ones in between
  CHECK_FALSE(sum.is_negative());
  CHECK(sum.value().significand == (std::uint64_t{1} << 62) - 1);
  CHECK(sum.value().floor_log2() == mx::wide_fixed::highest_product - 1);
  sum.add(false, 1, mx::wide_fixed::lowest_exponent);
  CHECK(sum.value().floor_log2() == mx::wide_fixed::highest_product);
  CHECK(mx::bit_width(sum.value().significand) == 62);
  sum.add(true, 3, mx::wide_fixed::highest_product - 1);
  CHECK(sum.is_negative());
  CHECK(value_of(sum.value()) == -power_of_two(mx::wide_fixed::highest_product - 1));
}

TEST_CASE("the_smallest_sums_keep_every_bit") {
  for (const std::uint64_t size :
       {std::uint64_t{1}, std::uint64_t{3}, (std::uint64_t{1} << 62) - 1}) {
    mx::wide_fixed sum;
    sum.add(false, size, mx::wide_fixed::lowest_exponent);
    CHECK(sum.value().significand == size);
    CHECK(sum.value().exponent == mx::wide_fixed::lowest_exponent);
  }
}

TEST_CASE("a_sum_that_cancels_is_a_positive_zero") {
  mx::exact_sum sum;
  for (const int exponent : {-500, 400, 0}) sum.add(mx::unpacked::finite(true, 5, exponent));
  for (const int exponent : {0, -500, 400}) sum.add(mx::unpacked::positive(5, exponent));
  CHECK(sum.value().is_zero());
  CHECK_FALSE(sum.value().negative);
}

/// 2^300 - 2^-500 - 2^300
constexpr mx::unpacked sum_of_far_powers() {
  mx::exact_sum sum;
  sum.add(mx::unpacked::positive(1, 300));
  sum.add(mx::unpacked::finite(true, 1, -500));
  sum.add(mx::unpacked::finite(true, 1, 300));
  return sum.value();
}

TEST_CASE("an_exact_sum_is_a_constant_expression") {
  STATIC_REQUIRE(sum_of_far_powers().negative);
  STATIC_REQUIRE(sum_of_far_powers().floor_log2() == -500);
}

TEST_CASE("sums_reach_2_to_the_703") {
  for (const bool negative : {false, true}) {
    for (const int exponent : {575, 639, 640, 700, 702}) {
      CAPTURE(negative, exponent);
      mx::wide_fixed sum;
      sum.add(negative, 1, exponent);
      CHECK(sum.is_negative() == negative);
      CHECK(sum.value().negative == negative);
      CHECK(sum.value().floor_log2() == exponent);
    }
  }
}

}  // namespace
