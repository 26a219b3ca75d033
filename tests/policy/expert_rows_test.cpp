// SPDX-License-Identifier: Apache-2.0
// tests/policy/expert_rows_test.cpp: sim/policy/expert_rows.h: choices worked by hand, and
// gradients against slopes.
#include "sim/policy/expert_rows.h"

#include <cmath>
#include <limits>
#include <random>

#include "catch.h"

namespace {

using floats = std::vector<float>;
using Catch::Detail::Approx;

struct choice {
  choice(const sim::expert_mixture& of, const floats& logits)
      : of(of), rows(static_cast<int>(logits.size()) / of.count) {
    const auto slots = static_cast<std::size_t>(rows * of.chosen);
    expert.resize(slots);
    weight.resize(slots);
    probability.resize(logits.size());
    sim::choose_experts(of, rows, logits.data(), all());
  }
  sim::expert_choice all() { return {expert.data(), weight.data(), probability.data()}; }

  sim::expert_mixture of;
  int rows;
  std::vector<int> expert;
  floats weight, probability;
};

TEST_CASE("the_likeliest_experts_are_chosen_and_of_equal_ones_those_of_lower_index") {
  const choice made({4, 2}, {0, 3, 1, 2,    // 1 and 3
                             5, 5, 5, 5,    // the first two
                             -1, 0, -1, 0,  // 1 and 3
                             0, 7, 7, 7});
  CHECK(made.expert == std::vector<int>{1, 3, 0, 1, 1, 3, 1, 2});
  CHECK(made.weight[2] == 0.5F);
  CHECK(made.weight[6] == 0.5F);
}

TEST_CASE("weights_are_probabilities_over_the_chosen_or_over_all") {
  const float ln2 = std::log(2.0F);
  const floats logits{3 * ln2, 0, 2 * ln2, ln2};  // 8 : 1 : 4 : 2
  const choice chosen({4, 3, sim::expert_weights::over_chosen}, logits),
      all({4, 3, sim::expert_weights::over_all}, logits);
  CHECK(chosen.expert == std::vector<int>{0, 2, 3});
  const double of_chosen[]{8 / 14.0, 4 / 14.0, 2 / 14.0}, of_all[]{8 / 15.0, 4 / 15.0, 2 / 15.0};
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(chosen.weight[i] == Approx(of_chosen[i]).epsilon(1e-6));
    CHECK(all.weight[i] == Approx(of_all[i]).epsilon(1e-6));
  }
}

TEST_CASE("logits_that_are_not_numbers_choose_experts_that_exist") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const choice made({3, 2}, {nan, 0, nan});
  CHECK(made.expert == std::vector<int>{0, 1});
}

/// sum of slot * weight, in binary64, with the experts of the logits as they are.
double weighted(const sim::expert_mixture& of, const std::vector<double>& logits,
                const std::vector<int>& expert, const floats& slot) {
  double whole = 0, sum = 0;
  for (int e = 0; e < of.count; ++e) {
    const bool counts = of.weights == sim::expert_weights::over_all ||
                        std::find(expert.begin(), expert.end(), e) != expert.end();
    if (counts) whole += std::exp(logits[static_cast<std::size_t>(e)]);
  }
  for (std::size_t s = 0; s < expert.size(); ++s) {
    sum += double{slot[s]} * std::exp(logits[static_cast<std::size_t>(expert[s])]) / whole;
  }
  return sum;
}

TEST_CASE("gradients_of_logits_are_slopes") {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (const auto weights : {sim::expert_weights::over_chosen, sim::expert_weights::over_all}) {
    const sim::expert_mixture of{9, 3, weights};
    floats logits(9), slot(3), gradient(9);
    for (float& v : logits) v = normal(random);
    for (float& v : slot) v = normal(random);
    choice made(of, logits);
    sim::choose_experts_backward(of, 1, made.all(), slot.data(), gradient.data());
    for (std::size_t e = 0; e < 9; ++e) {
      std::vector<double> above(logits.begin(), logits.end()), below = above;
      above[e] += 1e-5;
      below[e] -= 1e-5;
      const double slope =
          (weighted(of, above, made.expert, slot) - weighted(of, below, made.expert, slot)) / 2e-5;
      CHECK(gradient[e] == Approx(slope).margin(2e-7));
    }
  }
}

TEST_CASE("slots_are_gathered_scattered_and_added_row_by_row") {
  const std::vector<int> experts{0, 2, 1, 2, 0, 1};
  CHECK(sim::slots_of(2, experts) == std::vector<int>{1, 3});
  CHECK(sim::slots_of(3, experts).empty());
  const floats rows{1, 2, 3, 4, 5, 6};
  const std::vector<int> slots{1, 3, 4};
  CHECK(sim::gathered(slots, 2, 2, rows.data()) == floats{1, 2, 3, 4, 5, 6});
  CHECK(sim::gathered(std::vector<int>{2, 0}, 1, 2, rows.data()) == floats{5, 6, 1, 2});
  floats to(6);
  sim::scatter(std::vector<int>{2, 0}, 2, floats{7, 8, 9, 10}.data(), to.data());
  CHECK(to == floats{9, 10, 0, 0, 7, 8});
  floats sum(2, 99.0F);
  const floats weight{0.5F, 2};
  sim::add_slots(1, 2, 2, weight.data(), floats{1, 2, 3, 4}.data(), sum.data());
  CHECK(sum == floats{6.5F, 9});
  sim::add_slots(1, 2, 2, nullptr, floats{1, 2, 3, 4}.data(), sum.data());
  CHECK(sum == floats{4, 6});
}

}  // namespace
