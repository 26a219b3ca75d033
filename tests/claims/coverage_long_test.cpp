// SPDX-License-Identifier: Apache-2.0
// tests/claims/coverage_long_test.cpp: coverage and family-wise errors, over 20,000 experiments
// each.
#include "tests/claims/coverage.h"

TEST_CASE("every_interval_covers_and_few_decisions_are_wrong_under_gaussian_noise") {
  test::check_coverage(test::noise_shape::gaussian, 20'000, 0);
}

TEST_CASE("every_interval_covers_and_few_decisions_are_wrong_under_skewed_noise") {
  test::check_coverage(test::noise_shape::skewed, 20'000, 0);
}
