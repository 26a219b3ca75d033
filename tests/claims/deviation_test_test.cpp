// SPDX-License-Identifier: Apache-2.0
// tests/claims/deviation_test_test.cpp: tests of a standard deviation against tables, and their
// errors on synthetic seeds whose standard deviation is known.
#include "sim/claims/deviation_test.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "catch.h"

namespace {

bool near(double found, double expected, double distance) {
  return std::abs(found - expected) < distance;
}

enum class shape { gaussian, skewed };

/// 24 values of standard deviation 1; skewed: chi-square of 4 degrees of freedom, standardized.
class source {
 public:
  std::vector<double> values(shape s) {
    std::vector<double> result;
    for (int i = 0; i < 24; ++i)
      result.push_back(s == shape::gaussian ? normal_(random_) : skewed());
    return result;
  }

 private:
  double skewed() {
    double sum = 0;
    for (int i = 0; i < 4; ++i) sum += std::pow(normal_(random_), 2);
    return (sum - 4) / std::sqrt(8.0);
  }

  std::mt19937_64 random_{20261123};
  std::normal_distribution<double> normal_;
};

struct error_shares {
  double covered = 0, gaussian = 0, heavy = 0;
};

double smaller(const sim::deviation_evidence& e) { return std::min(e.above, e.below); }

/// Of 10,000 experiments at the bound: how often the interval covers, and how often one of two
/// one-sided tests at .025 shows what is not so, under either kind of tails.
error_shares shares_of(shape s) {
  source from;
  error_shares share;
  constexpr int draws = 10000;
  for (int i = 0; i < draws; ++i) {
    const sim::seed_sample sample = sim::sample_of(from.values(s));
    const auto [low, high] = sim::interval_of_deviation(sample, .95);
    const double gaussian = smaller(sim::by_chi_square(sample, 1, sim::tails::gaussian));
    const double heavy = smaller(sim::by_chi_square(sample, 1, sim::tails::heavy));
    share.covered += low <= 1 && 1 <= high ? 1. / draws : 0;
    share.gaussian += gaussian <= .025 ? 1. / draws : 0;
    share.heavy += heavy <= .025 ? 1. / draws : 0;
  }
  return share;
}

}  // namespace

TEST_CASE("a_deviation_at_the_tables_chi_square_has_the_tables_p") {
  using enum sim::tails;
  // 10 degrees of freedom: 20.483 leaves .025 above, 3.247 leaves .025 below. 25 of heavy tails.
  CHECK(near(sim::by_chi_square({11, 0, std::sqrt(2.0483)}, 1, gaussian).above, .025, 1e-5));
  CHECK(near(sim::by_chi_square({11, 0, 3 * std::sqrt(.3247)}, 3, gaussian).below, .025, 1e-5));
  CHECK(near(sim::by_chi_square({26, 0, std::sqrt(2.0483)}, 1, heavy).above, .025, 1e-5));
  CHECK(sim::by_chi_square({11, 0, 0}, 1, gaussian).below == 0);
  CHECK(sim::by_chi_square({11, 0, 0}, 1, gaussian).above == 1);
}

TEST_CASE("the_interval_covers_and_few_gaussian_deviations_are_misjudged") {
  const error_shares found = shares_of(shape::gaussian);
  CHECK(near(found.covered, .95, .01));
  CHECK(near(found.gaussian, .05, .01));
  CHECK(found.heavy <= .01);
}

TEST_CASE("skewed_deviations_are_misjudged_by_gaussian_tails_and_not_by_heavy_ones") {
  const error_shares found = shares_of(shape::skewed);
  CHECK(found.gaussian > .10);
  CHECK(found.heavy <= .05);
}

TEST_CASE("the_smallest_deviation_above_a_bound_shows_with_its_power") {
  // n 24, .05, .8: sqrt(38.076 / 17.187) of chi-square tables with 23 degrees of freedom.
  CHECK(near(sim::smallest_deviation_above(24, 1, .05, .8), std::sqrt(38.076 / 17.187), 1e-4));
  CHECK(
      near(sim::smallest_deviation_above(24, .7, .05, .8), .7 * std::sqrt(38.076 / 17.187), 1e-4));
}
