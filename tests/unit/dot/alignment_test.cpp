// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/alignment_test.cpp: mx/dot/alignment.h.
#include <cstdlib>
#include <vector>

#include "catch.h"
#include "golden/reference/rational.h"
#include "mx/dot/alignment.h"

namespace {

using golden::rational;

/// floor(x / 2^distance) by repeated halving.
std::int64_t halved_down(std::int64_t x, int distance) {
  for (int i = 0; i < distance; ++i) x = x >= 0 ? x / 2 : (x - 1) / 2;
  return x;
}

TEST_CASE("a_cut_moves_toward_zero_downward_or_to_the_nearest") {
  for (std::int64_t x = -300; x <= 300; ++x) {
    for (int distance = 0; distance < 12; ++distance) {
      const std::int64_t scale = std::int64_t{1} << distance;
      CAPTURE(x, distance);
      CHECK(mx::shifted(x, distance, mx::cut::toward_zero) == x / scale);
      CHECK(mx::shifted(x, distance, mx::cut::down) == halved_down(x, distance));
      CHECK(mx::bits_below(x, distance) == x % scale);
      const std::int64_t nearest = mx::shifted(x, distance, mx::cut::ties_to_even);
      const std::int64_t error = 2 * std::abs(nearest * scale - x);
      CHECK(error <= scale);
      if (error == scale) CHECK(nearest % 2 == 0);
    }
  }
}

TEST_CASE("a_cut_beyond_all_bits_leaves_nothing_or_the_last_unit_below_zero") {
  for (const int distance : {62, 63, 64, 100, 100000}) {
    CHECK(mx::shifted((std::int64_t{1} << 61) + 1, distance, mx::cut::toward_zero) == 0);
    CHECK(mx::shifted(-5, distance, mx::cut::toward_zero) == 0);
    CHECK(mx::shifted(5, distance, mx::cut::down) == 0);
    CHECK(mx::shifted(-5, distance, mx::cut::down) == -1);
    CHECK(mx::bits_below(-5, distance) == -5);
  }
  CHECK(mx::shifted(-3, -5, mx::cut::down) == -96);
  CHECK(mx::shifted(0, -100000, mx::cut::down) == 0);
}

TEST_CASE("a_zero_term_is_read_where_the_accumulation_says") {
  mx::accumulation how;
  how.zero_exponent = -7;
  const mx::unpacked zero, one = mx::unpacked::positive(1, 0);
  CHECK(mx::term_of(how, zero, 5).exponent == -7);
  CHECK(mx::term_of(how, one, 5).exponent == 5);
  const mx::term none[] = {mx::term_of(how, one, -9)};
  CHECK(mx::largest_exponent(how, none, 0, 1, 1) == -9);
  how.zeros = mx::zero_term::floor;
  CHECK(mx::term_of(how, zero, 5).exponent == mx::no_exponent);
  CHECK(mx::largest_exponent(how, none, 0, 1, 1) == -7);
  how.zeros = mx::zero_term::ignored;
  CHECK(mx::largest_exponent(how, none, 0, 1, 1) == -9);
}

rational value_of(const mx::unpacked& x) {
  const rational magnitude = rational(x.significand) * golden::power_of_two(x.exponent);
  return x.negative ? rational(-magnitude) : magnitude;
}

TEST_CASE("what_a_cut_takes_is_the_number_minus_what_is_kept") {
  for (const mx::cut how : {mx::cut::toward_zero, mx::cut::down, mx::cut::ties_to_even}) {
    for (std::int64_t x = -300; x <= 300; ++x) {
      for (int distance = -3; distance < 12; ++distance) {
        const std::int64_t kept = mx::shifted(x, distance, how);
        const mx::unpacked lost = mx::cut_off(x, 5, distance, kept);
        CAPTURE(x, distance);
        CHECK(value_of(lost) == rational(x) * golden::power_of_two(5) -
                                    rational(kept) * golden::power_of_two(5 + distance));
      }
    }
  }
  for (const std::int64_t x : {std::int64_t{-1}, std::int64_t{-5}, -(std::int64_t{1} << 61) - 1}) {
    for (const int distance : {61, 62, 63, 64, 100, 300}) {
      const mx::unpacked lost = mx::cut_off(x, 0, distance, -1);
      const rational exact = golden::power_of_two(distance) + rational(x);
      CAPTURE(x, distance);
      CHECK(mx::bit_width(lost.significand) <= 62);
      // Beyond 62 bits the last one stands for a part of itself.
      const rational error = abs(value_of(lost) - exact);
      CHECK((distance <= 62 ? error == 0 : error < golden::power_of_two(lost.exponent)));
      CHECK((error == 0 || (lost.significand & 1) == 1));
    }
  }
}

mx::aligned_sum sum_of(const mx::accumulation& how, const std::vector<mx::term>& terms, int first,
                       int stride, std::vector<mx::term_record>& records) {
  return mx::sum_in_window<mx::step_observer>(
      how, terms.data(), first, static_cast<int>(terms.size()), stride,
      [&records](int, const mx::term_record& r) { records.push_back(r); });
}

TEST_CASE("terms_are_cut_below_the_largest_exponent_and_then_added") {
  mx::accumulation how;
  how.fraction_bits = 2;
  // 1.75 * 2^4, -1.75 * 2^2 and 1.75 * 2^1 in units of 2^2: 7, -1 (0.75 lost), 0 (all lost).
  const std::vector<mx::term> terms = {{7, 2, 4}, {-7, 0, 2}, {7, -1, 1}};
  std::vector<mx::term_record> records;
  const mx::aligned_sum sum = sum_of(how, terms, 0, 1, records);
  CHECK(sum.sum == 6);
  CHECK(sum.unit == 2);
  CHECK(sum.exponent == 4);
  CHECK(sum.lost);
  REQUIRE(records.size() == 3);
  CHECK(records[0].why == mx::loss::nothing);
  CHECK(records[1].why == mx::loss::below_window);
  CHECK(records[1].lost.negative);
  CHECK(records[1].lost.significand == 3);
  CHECK(records[1].lost.exponent == 0);
  CHECK(records[1].aligned.significand == 1);
  CHECK(records[2].why == mx::loss::outside_window);
  CHECK(records[2].aligned.is_zero());
  CHECK(records[2].exponent == 1);
  records.clear();
  const mx::aligned_sum odd = sum_of(how, terms, 1, 2, records);
  CHECK(odd.sum == -7);
  CHECK(odd.exponent == 2);
  CHECK_FALSE(odd.lost);
}

}  // namespace
