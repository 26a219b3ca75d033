// SPDX-License-Identifier: Apache-2.0
// tests/claims/coverage_test.cpp: coverage and family-wise errors, over 1,000 experiments each.
#include "tests/claims/coverage.h"

// One contrast's share of 500 has a standard error of .01.
TEST_CASE("intervals_cover_and_few_decisions_are_wrong_under_gaussian_noise") {
  test::check_coverage(test::noise_shape::gaussian, 1000, .02);
}

TEST_CASE("intervals_cover_and_few_decisions_are_wrong_under_skewed_noise") {
  test::check_coverage(test::noise_shape::skewed, 1000, .02);
}
