// SPDX-License-Identifier: Apache-2.0
// tests/train/optimizer_test.cpp: sim/train/optimizer.h and sim/train/rate_schedule.h by hand.
#include "sim/train/optimizer.h"

#include <cmath>

#include "catch.h"
#include "mx/number/bits.h"
#include "sim/train/rate_schedule.h"
#include "tiny_study.h"

namespace {

using floats = std::vector<float>;

const sim::parameter_table& table() {
  static const sim::parameter_table of_tiny(test::tiny_study().policy);
  return of_tiny;
}

floats constant(float value) { return floats(static_cast<std::size_t>(table().count()), value); }

floats some_gradient() {
  floats g = constant(0);
  for (std::size_t i = 0; i < g.size(); ++i) {
    g[i] = static_cast<float>(static_cast<int>(i * 37 % 101) - 50) * 1e-4F;
  }
  return g;
}

/// Adam on one number, in binary32, written from its definition.
struct adam_by_hand {
  float m = 0, v = 0, w;
  double power1 = 1, power2 = 1;

  void step(float g, float rate) {
    constexpr float beta1 = 0.9F, beta2 = 0.99F, epsilon = 1e-8F;
    power1 *= double{beta1};
    power2 *= double{beta2};
    m = beta1 * m + (1.0F - beta1) * g;
    v = beta2 * v + (1.0F - beta2) * (g * g);
    const float mean = m / static_cast<float>(1 - power1);
    const float spread = v / static_cast<float>(1 - power2);
    w = w - rate * mean / (std::sqrt(spread) + epsilon);
  }
};

TEST_CASE("adam_moves_each_weight_as_by_hand") {
  const floats g = some_gradient();
  floats weights = constant(0.5F);
  sim::adam_state state;
  std::vector<adam_by_hand> expected(weights.size(), adam_by_hand{.w = 0.5F});
  for (int step = 0; step < 3; ++step) {
    const float rate = 1e-3F * static_cast<float>(step + 1);
    const float norm =
        sim::update(table(), {.learning_rate = rate, .clip = 1e3F}, g, state, weights);
    CHECK(norm == sim::gradient_norm(table(), g));
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < g.size(); ++i) {
      expected[i].step(g[i], rate);
      wrong += mx::bits_of(weights[i]) != mx::bits_of(expected[i].w);
      wrong += mx::bits_of(state.m[i]) != mx::bits_of(expected[i].m);
      wrong += mx::bits_of(state.v[i]) != mx::bits_of(expected[i].v);
    }
    CHECK(wrong == 0);
    CHECK(state.step == step + 1);
  }
}

TEST_CASE("the_first_step_of_adam_is_the_learning_rate_against_the_sign") {
  floats weights = constant(0.0F), g = constant(3.0F);
  g[7] = -0.25F;
  g[9] = 0.0F;
  sim::adam_state state;
  sim::update(table(), {.learning_rate = 1e-2F, .clip = 1e9F}, g, state, weights);
  CHECK(weights[0] == Approx(-1e-2).epsilon(1e-6));
  CHECK(weights[7] == Approx(1e-2).epsilon(1e-6));
  CHECK(weights[9] == 0.0F);
}

TEST_CASE("a_gradient_beyond_the_limit_is_scaled_down_to_it_and_its_norm_is_told") {
  const floats g = some_gradient();
  const float norm = sim::gradient_norm(table(), g), clip = norm / 3;
  floats clipped = g, weights = constant(0.5F), same = weights;
  for (float& x : clipped) x *= clip / norm;
  sim::adam_state state, scaled_state;
  CHECK(sim::update(table(), {.learning_rate = 1e-3F, .clip = clip}, g, state, weights) == norm);
  sim::update(table(), {.learning_rate = 1e-3F, .clip = 1e9F}, clipped, scaled_state, same);
  CHECK(weights == same);
  CHECK(state.m == scaled_state.m);
  CHECK(state.v == scaled_state.v);
  CHECK(sim::gradient_norm(table(), clipped) == Approx(clip).epsilon(1e-5));
}

TEST_CASE("sgd_moves_each_weight_by_the_rate_times_the_clipped_gradient") {
  const floats g = some_gradient();
  const float norm = sim::gradient_norm(table(), g), clip = norm / 3;
  for (const float limit : {1e9F, clip}) {
    floats weights = constant(0.5F), expected = weights;
    sim::adam_state state;
    const sim::update_rule sgd{.kind = sim::optimizer_kind::sgd, .learning_rate = 3, .clip = limit};
    for (int step = 0; step < 2; ++step) {
      CHECK(sim::update(table(), sgd, g, state, weights) == norm);
      for (std::size_t i = 0; i < g.size(); ++i) {
        const float clipped = limit < norm ? g[i] * (limit / norm) : g[i];
        expected[i] = expected[i] - 3 * clipped;
      }
    }
    const bool same = weights == expected, no_moments = state.m.empty() && state.v.empty();
    CHECK(same);
    CHECK(no_moments);
    CHECK(state.step == 2);
  }
}

TEST_CASE("adamw_decays_matrices_before_a_step_of_adam_and_norms_where_they_are_asked_for") {
  const floats g = some_gradient();
  for (const auto decayed : {sim::decayed_parameters::matrices, sim::decayed_parameters::all}) {
    const sim::update_rule rule{.kind = sim::optimizer_kind::adamw,
                                .learning_rate = 0.125F,
                                .clip = 1e3F,
                                .weight_decay = 0.5F,
                                .decayed = decayed};
    floats weights = constant(0.5F), kept = weights;
    sim::adam_state state, plain;
    for (int step = 0; step < 2; ++step) {
      // 1 - 0.125 * 0.5 = 0.9375 of a weight is left; Adam then moves what is left.
      for (const sim::parameter& p : table().all()) {
        const bool is_norm = p.name.find("norm") != std::string::npos;
        if (is_norm && decayed == sim::decayed_parameters::matrices) continue;
        for (std::ptrdiff_t i = 0; i < p.count(); ++i) {
          kept[static_cast<std::size_t>(p.offset + i)] *= 0.9375F;
        }
      }
      sim::update(table(), {.learning_rate = 0.125F, .clip = 1e3F}, g, plain, kept);
      sim::update(table(), rule, g, state, weights);
    }
    const bool same = weights == kept, same_moments = state.m == plain.m && state.v == plain.v;
    CHECK(same);
    CHECK(same_moments);
  }
}

TEST_CASE("the_norm_of_a_gradient_is_its_euclidean_length") {
  floats g = constant(0);
  g[3] = 3.0F;
  g[g.size() - 1] = -4.0F;
  CHECK(sim::gradient_norm(table(), g) == 5.0F);
  CHECK(sim::gradient_norm(table(), constant(0)) == 0.0F);
  double squares = 0;
  for (const float x : some_gradient()) squares += double{x} * double{x};
  CHECK(sim::gradient_norm(table(), some_gradient()) == Approx(std::sqrt(squares)).epsilon(1e-7));
}

TEST_CASE("the_ramp_is_linear_and_then_constant") {
  CHECK(sim::ramped_rate(2.0F, 4, 0) == 0.5F);
  CHECK(sim::ramped_rate(2.0F, 4, 1) == 1.0F);
  CHECK(sim::ramped_rate(2.0F, 4, 3) == 2.0F);
  CHECK(sim::ramped_rate(2.0F, 4, 4) == 2.0F);
  CHECK(sim::ramped_rate(2.0F, 4, 1000) == 2.0F);
  CHECK(sim::ramped_rate(2.0F, 1, 0) == 2.0F);
}

sim::grpo_constants scheduled(sim::rate_decay schedule, float final_fraction) {
  sim::grpo_constants g;
  g.learning_rate = 2.0F;
  g.ramp_steps = 4;
  g.steps = 10;
  g.schedule = schedule;
  g.final_fraction = final_fraction;
  return g;
}

TEST_CASE("rates_of_every_schedule_are_those_by_hand") {
  // Six steps behind the ramp: x = 1/6, ..., 1. cos(pi x) = 1/2 at 1/3, 0 at 1/2, -1/2 at 2/3.
  const auto linear = scheduled(sim::rate_decay::linear, 0.25F),
             cosine = scheduled(sim::rate_decay::cosine, 0.0F),
             lifted = scheduled(sim::rate_decay::cosine, 0.25F),
             plain = scheduled(sim::rate_decay::constant, 0.25F);
  const auto at = [](const sim::grpo_constants& g, int step) {
    return sim::learning_rate_at({}, g, step);
  };
  for (int step = 0; step < 4; ++step) {
    for (const auto& g : {linear, cosine, lifted, plain}) {
      CHECK(at(g, step) == 0.5F * static_cast<float>(step + 1));
    }
  }
  CHECK(at(linear, 6) == 1.25F);  // 2 * (1 - 0.75 / 2)
  CHECK(at(linear, 9) == 0.5F);
  CHECK(at(linear, 30) == 0.5F);
  CHECK(at(cosine, 5) == 1.5F);
  CHECK(at(cosine, 6) == 1.0F);
  CHECK(at(cosine, 7) == 0.5F);
  CHECK(at(cosine, 9) == 0.0F);
  CHECK(at(cosine, 30) == 0.0F);
  CHECK(at(lifted, 5) == 1.625F);  // 2 * (0.25 + 0.75 * 0.75)
  CHECK(at(lifted, 9) == 0.5F);
  CHECK(double{at(cosine, 4)} == Approx(1 + std::sqrt(0.75)).epsilon(1e-7));  // cos(pi / 6)
  CHECK(at(plain, 4) == 2.0F);
  CHECK(at(plain, 30) == 2.0F);
  sim::arm slow;
  slow.learning_rate = 0.5F;
  CHECK(sim::learning_rate_at(slow, linear, 6) == 0.3125F);
}

TEST_CASE("a_cosine_is_rounded_once") {
  for (const float least : {0.0F, 0.1F}) {
    for (int past = 0; past <= 37; ++past) {
      const double exact =
          double{least} + (1 - double{least}) * (1 + std::cos(std::acos(-1.0) * past / 37)) / 2;
      const float share = sim::decayed_share(sim::rate_decay::cosine, least, past, 37);
      CHECK(std::fabs(double{share} - exact) <= 0x1p-24 * exact + 1e-12);
    }
  }
}

}  // namespace
