// SPDX-License-Identifier: Apache-2.0
// tests/study/statistics_test.cpp: the statistics by hand-computed examples.
#include "sim/study/statistics.h"

#include <cmath>

#include "catch.h"

namespace {

using sim::estimate;

// Order of cells: none, S, D, SD, G, SG, DG, SDG.
constexpr std::array<double, sim::cells> example{0, 1, 2, 4, 3, 2, 6, 9};

}  // namespace

TEST_CASE("jackknife_of_a_mean_is_the_standard_error_of_the_mean") {
  // Of 1, 2, 3: means without one are 2.5, 2, 1.5; s / sqrt(n) = 1 / sqrt(3).
  const estimate e = sim::jackknife({2, {2.5, 2, 1.5}});
  CHECK(e.value == 2);
  CHECK(e.standard_error == std::sqrt(2.0 / 3 * 0.5));
}

TEST_CASE("jackknife_centres_on_the_mean_of_its_values") {
  const std::array<double, 4> values{1, 2, 3, 4};
  CHECK(sim::jackknife_standard_error(values) == std::sqrt(3.0 / 4 * 5));
  CHECK(std::isnan(sim::jackknife_standard_error(std::array<double, 1>{7})));
  CHECK_FALSE(sim::exceeds_two_errors(sim::jackknife({7, {7}})));
}

TEST_CASE("moebius_terms_are_what_parts_do_together") {
  const auto f = sim::factorial_of(example);
  CHECK(f.moebius == std::array<double, sim::cells>{0, 1, 2, 1, 3, -2, 1, 3});
  CHECK(f.total == 9);
  CHECK(f.non_additivity == 3.0 / 13);
}

TEST_CASE("shapley_values_add_up_to_the_total") {
  const auto f = sim::factorial_of(example);
  CHECK(f.shapley == std::array<double, 3>{1.5, 4, 3.5});
}

TEST_CASE("shapley_values_are_means_over_the_orders_of_switching_on") {
  // Six orders; the marginal effect of the scale in each, from the cells alone.
  const auto& f = example;
  const double scale = ((f[1] - f[0]) * 2 + (f[3] - f[2]) + (f[5] - f[4]) + (f[7] - f[6]) * 2) / 6;
  CHECK(sim::factorial_of(example).shapley[0] == scale);
}

TEST_CASE("additive_figures_have_no_interactions") {
  const auto f = sim::factorial_of({5, 6, 7, 8, 9, 10, 11, 12});
  CHECK(f.moebius == std::array<double, sim::cells>{5, 1, 2, 0, 4, 0, 0, 0});
  CHECK(f.shapley == std::array<double, 3>{1, 2, 4});
  CHECK(f.non_additivity == 0);
}

TEST_CASE("a_figure_that_never_moves_has_no_terms") {
  const auto f = sim::factorial_of({3, 3, 3, 3, 3, 3, 3, 3});
  CHECK(f.total == 0);
  CHECK(f.non_additivity == 0);
}

TEST_CASE("what_the_cells_have_in_common_cancels_in_paired_errors") {
  std::array<sim::replicated, sim::cells> cells;
  for (std::size_t c = 0; c < sim::cells; ++c) {
    cells[c] = {example[c], {example[c] + 4, example[c] - 2, example[c] - 2}};
  }
  const auto f = sim::factorial_of(cells);
  CHECK(f.moebius[0].standard_error == std::sqrt(2.0 / 3 * 24));
  for (std::size_t t = 1; t < sim::cells; ++t) CHECK(f.moebius[t].standard_error == 0);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(f.shapley[i].value == sim::factorial_of(example).shapley[i]);
    CHECK(f.shapley[i].standard_error == 0);
  }
  CHECK(f.total.value == 9);
  CHECK(f.non_additivity.value == 3.0 / 13);
}

TEST_CASE("paired_errors_are_those_of_each_term") {
  // Only the cell of all parts moves; the triple moves with it, a Shapley value by a third.
  std::array<sim::replicated, sim::cells> cells;
  for (auto& cell : cells) cell = {0, {0, 0}};
  cells[7] = {0, {3, -3}};
  const auto f = sim::factorial_of(cells);
  CHECK(f.moebius[7].standard_error == 3);
  CHECK(f.moebius[3].standard_error == 0);
  CHECK(f.shapley[2].standard_error == 1);
  CHECK(f.total.standard_error == 3);
}

TEST_CASE("trailing_means_begin_where_there_are_enough_values") {
  const std::array<double, 4> values{1, 2, 3, 10};
  CHECK(sim::trailing_means(values, 3) == std::vector<double>{2, 5});
  CHECK(sim::trailing_means(values, 5).empty());
}

TEST_CASE("entropy_at_reward_interpolates_the_first_crossing") {
  // Five-step means: reward 0, 1, 2, 1; entropy 10, 8, 4, 2.
  const std::vector<double> reward{0, 0, 0, 0, 0, 5, 5, -5}, entropy{10, 10, 10, 10, 10, 0, -10, 0};
  REQUIRE(sim::trailing_means(reward, 5) == std::vector<double>{0, 1, 2, 1});
  REQUIRE(sim::trailing_means(entropy, 5) == std::vector<double>{10, 8, 4, 2});
  CHECK(sim::entropy_at_reward(reward, entropy, 0) == 10.0);
  CHECK(sim::entropy_at_reward(reward, entropy, 0.5) == 9.0);
  CHECK(sim::entropy_at_reward(reward, entropy, 1) == 8.0);
  CHECK(sim::entropy_at_reward(reward, entropy, 1.75) == 5.0);
  CHECK_FALSE(sim::entropy_at_reward(reward, entropy, 2.5));
  CHECK_FALSE(sim::entropy_at_reward(reward, entropy, -0.5));
  CHECK_FALSE(sim::entropy_at_reward({}, {}, 0));
  const std::vector<double> constant(7, 1);  // at the level from the first step on
  CHECK(sim::entropy_at_reward(constant, std::vector<double>(7, 3), 1) == 3.0);
}

TEST_CASE("exactly_two_errors_are_not_beyond_two_errors") {
  CHECK_FALSE(sim::exceeds_two_errors({2, 1}));
  CHECK(sim::exceeds_two_errors({-2.5, 1}));
  CHECK_FALSE(sim::exceeds_two_errors({0, 0}));
}
