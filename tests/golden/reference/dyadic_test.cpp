// SPDX-License-Identifier: Apache-2.0
// tests/golden/reference/dyadic_test.cpp: numbers over powers of two against rational numbers.
#include <random>

#include "catch.h"
#include "golden/reference/dyadic.h"

namespace {

using golden::dyadic;
using golden::integer;
using golden::power_of_two;
using golden::rational;

// Counts from none to 160 bits, units around zero.
dyadic random_dyadic(std::mt19937& random) {
  integer count = 0;
  const unsigned words = random() % 6;
  for (unsigned i = 0; i < words; ++i) count = (count << 32) + random();
  if (random() % 2 == 0) count = -count;
  return {count, static_cast<int>(random() % 300) - 150};
}

rational multiple_not_above(const rational& value, int unit) {
  const rational quotient = abs(value) / power_of_two(unit);
  const integer whole = golden::floor_of(quotient);
  if (value >= 0) return whole * power_of_two(unit);
  return -(rational(whole) == quotient ? whole : integer(whole + 1)) * power_of_two(unit);
}

TEST_CASE("arithmetic_is_that_of_rational_numbers") {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    const dyadic x = random_dyadic(random);
    const dyadic y = random_dyadic(random);
    const rational rx = rational_of(x);
    const rational ry = rational_of(y);
    REQUIRE(rational_of(x + y) == rx + ry);
    REQUIRE(rational_of(x * y) == rx * ry);
    REQUIRE(rational_of(-x) == -rx);
    REQUIRE(rational_of(magnitude_of(x)) == abs(rx));
    REQUIRE(rational_of(golden::dyadic_of(rx)) == rx);
    REQUIRE(x.is_zero() == (rx == 0));
    REQUIRE(x.is_negative() == (rx < 0));
    if (rx != 0) REQUIRE(floor_log2(x) == golden::floor_log2(rational(abs(rx))));
  }
}

TEST_CASE("multiples_are_the_next_toward_zero_or_below") {
  std::mt19937 random(2);
  for (int i = 0; i < 2000; ++i) {
    const dyadic x = random_dyadic(random);
    const rational value = rational_of(x);
    const int unit = static_cast<int>(random() % 400) - 200;
    const rational below = multiple_not_above(value, unit);
    const rational toward_zero = value < 0 ? -multiple_not_above(-value, unit) : below;
    REQUIRE(rational_of(floored(x, unit)) == below);
    REQUIRE(rational_of(truncated(x, unit)) == toward_zero);
    REQUIRE(truncated(x, unit).unit == unit);
  }
  CHECK(rational_of(truncated(dyadic{-7, 0}, 2)) == -4);
  CHECK(rational_of(floored(dyadic{-7, 0}, 2)) == -8);
  CHECK(rational_of(floored(dyadic{-8, 0}, 2)) == -8);
}

TEST_CASE("other_denominators_are_refused") {
  CHECK_THROWS_AS(golden::dyadic_of(rational(1, 3)), std::invalid_argument);
  CHECK_THROWS_AS(golden::dyadic_of(rational(5, 6)), std::invalid_argument);
}

}  // namespace
