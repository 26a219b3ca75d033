// SPDX-License-Identifier: Apache-2.0
// tests/golden/reference/scale_search_test.cpp: errors of a block under a scale, and the smallest
// one.
#include "golden/reference/scale_search.h"
#include "catch.h"
#include "golden/reference/formats.h"

namespace {

namespace formats = golden::formats;
using golden::error_measure;
using golden::rational;

// At scale 1 they go to 6, 4, 2 and 0.
const golden::exact_block& block() {
  static const golden::exact_block four{
      {false, 7}, {true, {9, 2}}, {false, {9, 4}}, {true, {1, 8}}};
  return four;
}

rational error_at(const rational& scale, error_measure measure) {
  return golden::block_error(block(), formats::e2m1(), scale, measure);
}

TEST_CASE("errors_are_summed_exactly_by_their_measure") {
  CHECK(error_at(1, error_measure::sum_of_squares) == 1 + rational(1, 4) + rational(5, 64));
  CHECK(error_at(1, error_measure::sum_of_magnitudes) == rational(15, 8));
  CHECK(error_at(1, error_measure::largest_magnitude) == 1);
}

TEST_CASE("a_scale_of_zero_loses_every_element") {
  CHECK(error_at(0, error_measure::sum_of_magnitudes) == rational(111, 8));
  CHECK(error_at(0, error_measure::largest_magnitude) == 7);
}

TEST_CASE("the_first_of_equally_good_scales_is_taken") {
  const auto best = [](const std::vector<rational>& scales) {
    return golden::best_scale({{false, 6}}, formats::e2m1(), scales, error_measure::sum_of_squares);
  };
  CHECK(best({1, {3, 2}}) == 1);
  CHECK(best({{3, 2}, 1}) == rational(3, 2));
  CHECK(best({{1, 2}, {3, 2}, 1}) == rational(3, 2));
}

}  // namespace
