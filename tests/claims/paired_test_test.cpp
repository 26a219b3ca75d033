// SPDX-License-Identifier: Apache-2.0
// tests/claims/paired_test_test.cpp: published examples of Student's t, chi-square and power.
#include "sim/claims/paired_test.h"

#include <cmath>
#include <vector>

#include "catch.h"

namespace {

// Student, "The probable error of a mean", 1908: hours of sleep gained, one drug against the other.
const std::vector<double> hours_gained{1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4};

bool near(double found, double expected, double distance) {
  return std::abs(found - expected) < distance;
}

}  // namespace

TEST_CASE("students_sleep_data_have_their_published_t_p_and_interval") {
  const sim::seed_sample s = sim::sample_of(hours_gained);
  CHECK(near(s.mean, 1.58, 1e-12));
  CHECK(near(s.mean / s.standard_error(), 4.0621, 5e-5));
  CHECK(near(2 * sim::t_above_zero(s), 0.002833, 5e-7));
  const sim::interval i = sim::interval_of_mean(s, 0.95);
  CHECK(near(i.low, 0.7001142, 5e-8));
  CHECK(near(i.high, 2.4598858, 5e-8));
}

TEST_CASE("the_p_value_is_one_sided") {
  std::vector<double> negated;
  for (const double v : hours_gained) negated.push_back(-v);
  const double above = sim::t_above_zero(sim::sample_of(hours_gained));
  CHECK(near(sim::t_above_zero(sim::sample_of(negated)), 1 - above, 1e-12));
}

TEST_CASE("without_spread_only_a_mean_above_zero_shows") {
  CHECK(sim::t_above_zero(sim::sample_of(std::vector<double>{2, 2, 2})) == 0);
  CHECK(sim::t_above_zero(sim::sample_of(std::vector<double>{0, 0, 0})) == 1);
  CHECK(sim::t_above_zero(sim::sample_of(std::vector<double>{-1, -1})) == 1);
}

TEST_CASE("the_interval_of_a_deviation_is_that_of_chi_square_tables") {
  // 9 degrees of freedom: 2.700 and 19.023.
  const sim::interval i = sim::interval_of_deviation({10, 0, 1}, 0.95);
  CHECK(near(i.low, std::sqrt(9 / 19.023), 1e-5));
  CHECK(near(i.high, std::sqrt(9 / 2.700), 2e-4));
}

TEST_CASE("power_and_the_smallest_detectable_effect_are_those_of_published_tables") {
  // Cohen: half a standard deviation, two-sided .05: 34 pairs have a power of .8078.
  CHECK(near(sim::power_of(34, 0.5, 0.05), 0.80778, 5e-5));
  CHECK(near(sim::power_of(34, 0, 0.05), 0.05, 1e-9));
  CHECK(near(sim::smallest_detectable({34, 0, 2}, 0.05, 0.80778), 1, 1e-4));
  CHECK(sim::smallest_detectable({34, 1, 0}, 0.05, 0.8) == 0);
}

TEST_CASE("few_seeds_and_small_levels_have_a_detectable_effect_too") {
  for (const std::size_t seeds : {2U, 3U, 4U, 5U, 8U, 12U, 24U, 40U}) {
    for (const double level : {0.5, 0.05 / 26, 0.001 / 100}) {
      const double effect = sim::smallest_detectable({seeds, 0, 1}, level, 0.8);
      CHECK(near(sim::power_of(seeds, effect, level), 0.8, 1e-6));
    }
  }
}
