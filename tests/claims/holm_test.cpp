// SPDX-License-Identifier: Apache-2.0
// tests/claims/holm_test.cpp: hand-worked adjustments.
#include "sim/claims/holm.h"

#include "catch.h"

TEST_CASE("the_smallest_p_is_multiplied_by_all_and_no_larger_p_falls_below_it") {
  // .005 * 4, .01 * 3, .03 * 2, and .04 * 1, which is raised to .06.
  const std::vector<double> p{.01, .04, .03, .005};
  CHECK(sim::holm_adjusted(p) == std::vector<double>{.03, .06, .06, .02});
}

TEST_CASE("an_adjusted_p_is_at_most_one") {
  CHECK(sim::holm_adjusted(std::vector<double>{.6, .7}) == std::vector<double>{1, 1});
  CHECK(sim::holm_adjusted(std::vector<double>{}).empty());
}
