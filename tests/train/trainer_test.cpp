// SPDX-License-Identifier: Apache-2.0
// tests/train/trainer_test.cpp: sim/train/trainer.h: GRPO steps, and their identity with plain policy
// gradients.
#include "sim/train/trainer.h"

#include <algorithm>
#include <cmath>

#include "catch.h"
#include "mx/number/bits.h"
#include "sim/task/random_streams.h"
#include "sim/train/grpo.h"
#include "sim/train/warm_up.h"
#include "tiny_study.h"

namespace {

using floats = std::vector<float>;
using sim::setting;

double figure_of(const std::vector<sim::figure>& figures, const std::string& name) {
  const auto found = std::ranges::find(figures, name, &sim::figure::name);
  REQUIRE(found != figures.end());
  return found->value;
}

/// A policy that is right at times.
const sim::training_state& warmed_up() {
  static const sim::training_state state = sim::warmed_up_policy(setting(test::tiny_study()));
  return state;
}

sim::training_state fresh_state() { return {warmed_up().weights, {}, 0}; }

// ---- GRPO --------------------------------------------------------------------------------------

std::vector<sim::sequence> sequences_of(const sim::rollout_step& step) {
  std::vector<sim::sequence> batch;
  for (const sim::rollout& r : step.rollouts) batch.push_back(r.tokens);
  return batch;
}

TEST_CASE("a_grpo_step_descends_minus_the_mean_of_weight_times_advantage_times_log_p") {
  const setting s(test::tiny_study());
  const sim::grpo_constants& constants = s.constants.grpo;
  std::vector<sim::arm> arms = s.constants.arms;
  arms.push_back(test::drawn_arm());
  arms.back().formats.rollout = {};  // so that some answers are right
  for (const sim::arm& a : arms) {
    INFO(a.name);
    sim::gradient_computer gradient(s), again(s);
    sim::training_state state = fresh_state();
    state.step = 2;  // so that the noise of an AQN arm is on
    const sim::training_state before = state;
    const sim::rollout_step step = sim::grpo_step(s, a, gradient, state);
    REQUIRE(std::ranges::count(step.rewards, 1.0F) > 0);

    const auto batch = sequences_of(step);
    const floats advantage =
        sim::advantages(step.rewards, constants.samples, constants.advantage_epsilon);
    int tokens = 0;
    for (const sim::sequence& q : batch) tokens += q.response();
    const float share = 1.0F / static_cast<float>(tokens);
    const auto formats = s.at_step(a.formats, sim::stream::training_operands, 2);
    const auto forward =
        sim::prepare_forward(s.table, before.weights, formats.of(sim::pass::forward));
    const auto backward = sim::prepare_backward(s.table, before.weights, formats);
    const floats g =
        again(formats, forward, backward, batch, [&](int i, int t, const sim::token_outcome& o) {
          const float sampled = step.rollouts[static_cast<std::size_t>(i)]
                                    .log_probability[static_cast<std::size_t>(t)];
          const float w = a.correction == sim::mismatch::none
                              ? 1.0F
                              : sim::importance_weight(o.log_probability, sampled, 2.0F);
          return share * (w * advantage[static_cast<std::size_t>(i)]);
        });
    sim::training_state expected = before;
    const float rate = sim::ramped_rate(constants.learning_rate, constants.ramp_steps, 2);
    const float norm = sim::update(s.table, constants.adam, rate, constants.clip, g,
                                   expected.optimizer, expected.weights);
    CHECK(double{norm} == figure_of(step.figures, "grad_norm"));
    const bool same_weights = expected.weights == state.weights,
               same_moments = expected.optimizer.m == state.optimizer.m &&
                              expected.optimizer.v == state.optimizer.v;
    CHECK(same_weights);
    CHECK(same_moments);
    CHECK(norm > 0);
    CHECK(state.step == 3);
    CHECK(state.optimizer.step == 1);
  }
}

TEST_CASE("importance_weights_are_exactly_1_where_rollout_and_training_are_the_same_arithmetic") {
  sim::study study = test::tiny_study();
  for (sim::arm& a : study.arms) {
    a.correction = sim::mismatch::truncated_importance;
    a.noise = sim::rollout_noise::none;
  }
  const setting s(study);
  for (const sim::arm& a : s.constants.arms) {
    INFO(a.name);
    sim::gradient_computer gradient(s);
    sim::training_state state = fresh_state();
    const auto figures = sim::grpo_step(s, a, gradient, state).figures;
    const double least = figure_of(figures, "sampling/importance_sampling_ratio/min"),
                 mean = figure_of(figures, "sampling/importance_sampling_ratio/mean"),
                 most = figure_of(figures, "sampling/importance_sampling_ratio/max");
    if (a.formats.rollout == a.formats.forward) {
      CHECK(least == 1.0);
      CHECK(mean == 1.0);
      CHECK(most == 1.0);
    } else {
      CHECK(least < 1.0);
      CHECK(most > 1.0);
      CHECK(most <= 2.0);
    }
  }
}

TEST_CASE("the_correction_changes_nothing_where_its_weights_are_1") {
  sim::study study = test::tiny_study();
  const setting s(study);
  sim::arm plain = s.constants.arms[1], corrected = plain;
  corrected.correction = sim::mismatch::truncated_importance;
  sim::training_state one = fresh_state(), other = fresh_state();
  sim::gradient_computer gradient(s);
  const auto first = sim::grpo_step(s, plain, gradient, one),
             second = sim::grpo_step(s, corrected, gradient, other);
  const bool same = one.weights == other.weights;
  CHECK(same);
  CHECK(sim::step_hash(one, first) == sim::step_hash(other, second));
}

TEST_CASE("adaptive_noise_begins_after_the_first_interval_and_touches_the_rollouts_alone") {
  const setting s(test::tiny_study());
  const sim::arm& noisy = s.constants.arms[3];
  sim::arm quiet = noisy;
  quiet.noise = sim::rollout_noise::none;
  for (const int at : {0, 2}) {
    sim::training_state with = fresh_state(), without = fresh_state();
    with.step = without.step = at;
    sim::gradient_computer gradient(s);
    const auto a = sim::grpo_step(s, noisy, gradient, with),
               b = sim::grpo_step(s, quiet, gradient, without);
    const bool same = with.weights == without.weights;
    CHECK(same == (at == 0));
    const double most = figure_of(a.figures, "sampling/importance_sampling_ratio/max");
    CHECK((most == 1.0) == (at == 0));
    CHECK(figure_of(b.figures, "sampling/importance_sampling_ratio/max") == 1.0);
  }
}

TEST_CASE("the_figures_of_a_step_are_those_of_its_rollouts") {
  const setting s(test::tiny_study());
  sim::gradient_computer gradient(s);
  sim::training_state state = fresh_state();
  const sim::rollout_step step = sim::grpo_step(s, s.constants.arms[0], gradient, state);
  REQUIRE(step.rollouts.size() == 32);
  double reward = 0, length = 0, entropy = 0;
  int tokens = 0, groups_without_spread = 0;
  for (std::size_t i = 0; i < 32; ++i) {
    const sim::rollout& r = step.rollouts[i];
    CHECK(step.rewards[i] == (s.task.solved(r.tokens) ? 1.0F : 0.0F));
    reward += double{step.rewards[i]};
    length += r.tokens.response();
    tokens += r.tokens.response();
    for (const float e : r.entropy) entropy += double{e};
  }
  for (std::size_t group = 0; group < 4; ++group) {
    const auto begin = step.rewards.begin() + static_cast<std::ptrdiff_t>(group * 8);
    groups_without_spread += std::count(begin, begin + 8, *begin) == 8 ? 1 : 0;
  }
  CHECK(figure_of(step.figures, "reward") == reward / 32);
  CHECK(figure_of(step.figures, "completions/mean_length") == length / 32);
  CHECK(figure_of(step.figures, "entropy") == Approx(entropy / tokens));
  CHECK(figure_of(step.figures, "frac_reward_zero_std") == groups_without_spread / 4.0);
  CHECK(figure_of(step.figures, "learning_rate") == double{s.constants.grpo.learning_rate / 2});
}

TEST_CASE("a_step_and_an_evaluation_draw_the_random_bits_of_their_own_use_and_step") {
  const setting s(test::tiny_study());
  const sim::arm drawn = test::drawn_arm();
  const auto rollouts_at = [&](int step) {
    sim::training_state state = fresh_state();
    state.step = step;
    sim::gradient_computer gradient(s);
    return sim::grpo_step(s, drawn, gradient, state).rollouts;
  };
  const std::vector<sim::rollout> rollouts = rollouts_at(1);
  const std::vector<sim::sequence> prompts = s.prompts(sim::stream::training_prompts, 1, 4);
  const auto sampled = [&](sim::stream use, int step) {
    const sim::pass_products p = s.at_step(drawn.formats, use, step).of(sim::pass::rollout);
    return sim::sample_responses(
        s.context(p), sim::prepare_forward(s.table, warmed_up().weights, p), prompts,
        {sim::decoding::sampled, 8, 1, sim::counter_word(sim::stream::training_samples, 1), 6});
  };
  const auto log_p = [](const std::vector<sim::rollout>& all) {
    floats result;
    for (const sim::rollout& r : all) {
      result.insert(result.end(), r.log_probability.begin(), r.log_probability.end());
    }
    return result;
  };
  CHECK(log_p(sampled(sim::stream::training_operands, 1)) == log_p(rollouts));
  CHECK(log_p(sampled(sim::stream::training_operands, 2)) != log_p(rollouts));
  CHECK(log_p(sampled(sim::stream::evaluation_operands, 1)) != log_p(rollouts));
}

}  // namespace
