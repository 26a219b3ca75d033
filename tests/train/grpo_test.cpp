// SPDX-License-Identifier: Apache-2.0
// tests/train/grpo_test.cpp: sim/train/grpo.h by hand, and against the objective it differentiates.
#include "sim/train/grpo.h"

#include <algorithm>
#include <cmath>

#include "catch.h"
#include "mx/number/bits.h"
#include "sim/policy/element_functions.h"
#include "sim/study/study_words.h"

namespace {

using floats = std::vector<float>;

TEST_CASE("advantages_are_the_rewards_of_a_group_in_its_standard_deviations") {
  // Mean 1/4, deviation over n - 1: 1/2.
  const floats a = sim::advantages(floats{1, 0, 0, 0}, 4, 1e-6F);
  CHECK(a[0] == static_cast<float>(0.75 / (0.5 + double{1e-6F})));
  for (int i = 1; i < 4; ++i)
    CHECK(a[static_cast<std::size_t>(i)] == static_cast<float>(-0.25 / (0.5 + double{1e-6F})));
  // Mean 1/2, deviation sqrt(1/2).
  const floats pair = sim::advantages(floats{0, 1}, 2, 0.5F);
  CHECK(pair[1] == static_cast<float>(0.5 / (std::sqrt(0.5) + 0.5)));
  CHECK(pair[0] == -pair[1]);
}

TEST_CASE("a_group_without_spread_has_no_advantage") {
  CHECK(sim::advantages(floats{1, 1, 1, 0, 0, 0}, 3, 1e-6F) == floats(6, 0.0F));
}

TEST_CASE("groups_do_not_see_each_other") {
  const floats both = sim::advantages(floats{1, 0, 0, 1, 1, 0}, 3, 1e-6F);
  const floats first = sim::advantages(floats{1, 0, 0}, 3, 1e-6F),
               second = sim::advantages(floats{1, 1, 0}, 3, 1e-6F);
  CHECK(std::equal(first.begin(), first.end(), both.begin()));
  CHECK(std::equal(second.begin(), second.end(), both.begin() + 3));
}

sim::grpo_constants with(sim::advantage_estimator e, int samples) {
  sim::grpo_constants c;
  c.advantage = e;
  c.samples = samples;
  return c;
}

TEST_CASE("advantages_of_every_estimator_are_those_by_hand") {
  using enum sim::advantage_estimator;
  // First group: mean 1/4; mean of the others 0, then three times 1/3. Second group: sum 1.5, mean
  // 3/8; mean of the others 0.5/3, 2/3, 0.5/3, 1.5/3.
  const floats rewards{1, 0, 0, 0, 1, -0.5F, 1, 0};
  CHECK(sim::advantages(rewards, with(group_mean, 4)) ==
        floats{0.75F, -0.25F, -0.25F, -0.25F, 0.625F, -0.875F, 0.625F, -0.375F});
  const floats left_out = sim::advantages(rewards, with(leave_one_out, 4));
  const double expected[] = {1,       -1 / 3.0,       -1 / 3.0, -1 / 3.0,
                             5 / 6.0, -0.5 - 2 / 3.0, 5 / 6.0,  -0.5};
  for (std::size_t i = 0; i < 8; ++i) CHECK(left_out[i] == static_cast<float>(expected[i]));
  const bool same =
      sim::advantages(rewards, with(group_std, 4)) == sim::advantages(rewards, 4, 1e-6F);
  CHECK(same);
}

TEST_CASE("a_group_without_spread_has_no_advantage_under_any_estimator") {
  for (const auto& w : sim::advantage_words) {
    INFO(w.text);
    CHECK(sim::advantages(floats(3, 1 - 1 / 3.0F), with(w.value, 3)) == floats(3, 0.0F));
  }
}

constexpr float high = 1.28F, low = 0.8F, dual = 3.0F;

TEST_CASE("the_slope_is_that_of_the_ratio_inside_the_limits_and_zero_outside") {
  const sim::grpo_constants c;  // 0.2, 0.28, 3
  struct row {
    float ratio, advantage, slope;
  };
  const row
      table
          [] =
              {
                  {1.0F, 0.7F, 0.7F},   {1.0F, -0.7F, -0.7F}, {1.0F, 0.0F, 0.0F},
                  {1.2F, 2.0F, 2.4F},   {1.2F, -2.0F, -2.4F}, {1.3F, 2.0F, 0.0F},
                  {1.3F, -2.0F, -2.6F},                       // above: only gains are clipped
                  {0.7F, 2.0F, 1.4F},   {0.7F, -2.0F, 0.0F},  // below: only losses are
                  {2.9F, -2.0F, -5.8F}, {3.1F, -2.0F, 0.0F},  // dual clip
                  {3.1F, 2.0F, 0.0F},   {0.0F, 1.0F, 0.0F},
              };
  for (const row& r : table) {
    INFO("ratio " << r.ratio << ", advantage " << r.advantage);
    CHECK(sim::clipped_slope(r.ratio, r.advantage, c) == r.slope);
  }
}

/// The clipped objective of one token.
double objective(double ratio, double advantage) {
  const double clipped = std::clamp(ratio, double{low}, double{high});
  const double least = std::min(ratio * advantage, clipped * advantage);
  return advantage < 0 ? std::max(least, double{dual} * advantage) : least;
}

TEST_CASE("the_slope_is_the_derivative_of_the_clipped_objective_by_the_log_probability") {
  for (const float advantage : {1.5F, -0.75F}) {
    for (float ratio = 0.05F; ratio < 4; ratio += 0.0371F) {
      const bool at_a_kink = std::fabs(ratio - low) < 1e-3F || std::fabs(ratio - high) < 1e-3F ||
                             std::fabs(ratio - dual) < 1e-3F;
      if (at_a_kink) continue;
      constexpr double h = 1e-6;
      const double slope = (objective(double{ratio} * std::exp(h), double{advantage}) -
                            objective(double{ratio} * std::exp(-h), double{advantage})) /
                           (2 * h);
      INFO("ratio " << ratio << ", advantage " << advantage);
      CHECK(std::fabs(double{sim::clipped_slope(ratio, advantage, {})} - slope) < 1e-6);
      CHECK(std::fabs(sim::clipped_objective(ratio, advantage, {}) -
                      objective(double{ratio}, double{advantage})) < 1e-6);
    }
  }
}

TEST_CASE("a_token_without_advantage_is_never_clipped") {
  for (const float ratio : {0.1F, 1.0F, 2.0F, 5.0F}) {
    CHECK(sim::clip_of(ratio, 0.0F, {}) == sim::ratio_clip::none);
    CHECK(sim::clip_of(ratio, 1.0F, {}) ==
          (ratio > high ? sim::ratio_clip::high : sim::ratio_clip::none));
  }
  CHECK(sim::clip_of(0.1F, -1.0F, {}) == sim::ratio_clip::low);
  CHECK(sim::clip_of(2.0F, -1.0F, {}) == sim::ratio_clip::none);
  CHECK(sim::clip_of(5.0F, -1.0F, {}) == sim::ratio_clip::dual);
}

TEST_CASE("the_ratio_of_policies_is_exactly_1_at_equality_and_finite") {
  CHECK(mx::bits_of(sim::policy_ratio(-3.25F, -3.25F)) == mx::bits_of(1.0F));
  CHECK(sim::policy_ratio(-1.0F, -1.5F) == sim::exponential(0.5F));
  CHECK(sim::policy_ratio(0.0F, -100.0F) == sim::exponential(20.0F));
  CHECK(sim::policy_ratio(-100.0F, 0.0F) == sim::exponential(-20.0F));
}

TEST_CASE("the_importance_weight_is_exactly_1_at_equality_and_capped") {
  for (const float log_p : {0.0F, -0.0F, -1e-7F, -3.25F, -80.0F}) {
    CHECK(mx::bits_of(sim::importance_weight(log_p, log_p, 2.0F)) == mx::bits_of(1.0F));
  }
  CHECK(sim::importance_weight(-1.0F, -5.0F, 2.0F) == 2.0F);
  CHECK(sim::importance_weight(-1.0F, -90.0F, 2.0F) == 2.0F);
  CHECK(sim::importance_weight(-1.5F, -1.0F, 2.0F) == sim::exponential(-0.5F));
  CHECK(sim::importance_weight(-1.0F, -1.5F, 2.0F) == sim::exponential(0.5F));
  CHECK(sim::importance_weight(-500.0F, 0.0F, 2.0F) == 0.0F);
}

TEST_CASE("a_sequence_weighs_the_product_of_its_ratios_or_nothing_above_the_cap") {
  CHECK(mx::bits_of(sim::masked_sequence_weight(0.0, 3.0F)) == mx::bits_of(1.0F));
  CHECK(sim::masked_sequence_weight(-0.75, 3.0F) == sim::exponential(-0.75F));
  CHECK(sim::masked_sequence_weight(1.0, 3.0F) == sim::exponential(1.0F));
  CHECK(sim::masked_sequence_weight(1.125, 3.0F) == 0.0F);  // e^1.125 = 3.08
  CHECK(sim::masked_sequence_weight(1000.0, 3.0F) == 0.0F);
  CHECK(sim::masked_sequence_weight(-1000.0, 3.0F) == 0.0F);
}

}  // namespace
