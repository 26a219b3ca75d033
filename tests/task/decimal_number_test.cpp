// SPDX-License-Identifier: Apache-2.0
// tests/task/decimal_number_test.cpp: sim/task/decimal_number.h.
#include "sim/task/decimal_number.h"

#include "catch.h"

namespace {

using sim::decimal_in;
using sim::decimal_number;

decimal_number number(std::string_view text) {
  const auto n = decimal_in(text);
  INFO(text);
  REQUIRE(n);
  return *n;
}

bool within(const char* a, const char* b, const char* tolerance) {
  return sim::is_within(number(a), number(b), number(tolerance));
}

TEST_CASE("equal_decimals_have_equal_members") {
  for (const char* text : {"1000", "+01000", "1000.00", "1e3", "1E+3", "1000.", ".1e4", " 1000\n",
                           "1_000", "_1000_", "10000e-1", "1e0000000000000000000000003"}) {
    INFO(text);
    CHECK(number(text) == decimal_number{false, "1", 3});
  }
  CHECK(number("-12.50") == decimal_number{true, "125", -1});
  for (const char* text : {"0", "-0", "+0.00", ".0", "0e17", "0e999999999999999999", "000"}) {
    CHECK(number(text) == decimal_number{});
  }
}

TEST_CASE("what_python_reads_as_no_finite_decimal_is_none") {
  for (const char* text : {"", " ", ".", "+", "-", "_", "e5", ".e5", "1e", "1e+", "--1", "+ 1", "1 0",
                           "0x1", "1,000", "inf", "-Infinity", "nan", "sNaN7", "1e5.0", "1 _", "12a",
                           "1e1000000000000000000", "10e999999999999999999",
                           "1e-1999999999999999998", "0e99999999999999999999999999"}) {
    INFO(text);
    CHECK_FALSE(decimal_in(text));
  }
}

TEST_CASE("a_distance_is_compared_with_the_tolerance_exactly") {
  CHECK(within("1.01", "1", "0.01"));
  CHECK(within("0.99", "1", "0.01"));
  CHECK_FALSE(within("1.0100000000000000000000000000000000001", "1", "0.01"));
  CHECK_FALSE(within("0.9899999999999999999999999999999999999", "1", "0.01"));
  CHECK(within("-5", "-5.5", "0.5"));
  CHECK_FALSE(within("5", "-5", "9.999"));
  CHECK(within("5", "-5", "10"));
  CHECK_FALSE(within("1", "0", "0"));
}

TEST_CASE("numbers_of_any_size_are_compared_without_their_digits") {
  CHECK_FALSE(within("1e999999999999999999", "1", "0.5"));
  CHECK(within("1e-999999999999999999", "1", "1"));        // nearer to 1 than 0 is
  CHECK_FALSE(within("-1e-999999999999999999", "1", "1"));  // farther
  CHECK(within("-1e-999999999999999999", "-1", "1"));
  CHECK_FALSE(within("1e-999999999999999999", "0", "0"));
  CHECK(within("0", "1", "1"));
  CHECK(within("10", "9.5", "0.5"));  // a carry into a digit that neither of the others has
  CHECK_FALSE(within("10.1", "9.5", "0.5"));
}

TEST_CASE("few_places_are_at_most_a_thousand_on_each_side") {
  CHECK(sim::has_few_places(number("1e999")));
  CHECK_FALSE(sim::has_few_places(number("1e1000")));
  CHECK(sim::has_few_places(number("1e-1000")));
  CHECK_FALSE(sim::has_few_places(number("1e-1001")));
}

}  // namespace
