// SPDX-License-Identifier: Apache-2.0
// tests/train/trainer_test.cpp: sim/train/trainer.h: GRPO steps, and their identity with plain
// policy gradients.
#include "sim/train/trainer.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "catch.h"
#include "mx/number/bits.h"
#include "named_figures.h"
#include "sim/policy/element_functions.h"
#include "sim/task/random_streams.h"
#include "sim/train/grpo.h"
#include "sim/train/warm_up.h"
#include "tiny_study.h"

namespace {

using floats = std::vector<float>;
using sim::setting;
using test::figure_of;
using test::has_figure;

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
  sim::arm masked = s.constants.arms[4];
  masked.correction = sim::mismatch::sequence_mask;
  masked.importance_cap = 1.0F;
  arms.push_back(masked);
  sim::arm slow = s.constants.arms[1], descending = slow;
  slow.learning_rate = 1e-5F;
  arms.push_back(slow);
  descending.optimizer = sim::optimizer_kind::sgd;
  descending.learning_rate = 0.25F;
  arms.push_back(descending);
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
    const auto product_of_ratios = [&](int i) {
      const sim::rollout& r = step.rollouts[static_cast<std::size_t>(i)];
      sim::decoder alone(s.table, s.rope);
      alone.take({&r.tokens, 1}, i);
      alone.forward(forward, formats.of(sim::pass::forward));
      double log_ratio = 0;
      for (std::size_t t = 0; t < r.log_probability.size(); ++t) {
        log_ratio += double{alone.outcomes()[t].log_probability} - double{r.log_probability[t]};
      }
      return sim::exponential(static_cast<float>(log_ratio));
    };
    const floats g =
        again(formats, forward, backward, batch, [&](int i, int t, const sim::token_outcome& o) {
          const float sampled = step.rollouts[static_cast<std::size_t>(i)]
                                    .log_probability[static_cast<std::size_t>(t)];
          float w = 1.0F;
          if (a.correction == sim::mismatch::truncated_importance) {
            w = sim::importance_weight(o.log_probability, sampled, 2.0F);
          }
          if (a.correction == sim::mismatch::sequence_mask) {
            w = product_of_ratios(i);
            if (w > 1.0F) w = 0;
          }
          return share * (w * advantage[static_cast<std::size_t>(i)]);
        });
    if (a.correction == sim::mismatch::sequence_mask) {
      int above = 0;
      for (int i = 0; i < 32; ++i) above += product_of_ratios(i) > 1.0F ? 1 : 0;
      CHECK(above > 0);
      CHECK(figure_of(step.figures, "rollout_corr/rollout_rs_seq_masked_fraction") == above / 32.0);
    }
    sim::training_state expected = before;
    const float rate = sim::ramped_rate(a.learning_rate.value_or(1e-3F), constants.ramp_steps, 2);
    const auto kind = a.optimizer.value_or(sim::optimizer_kind::adam);
    const float norm = sim::update(s.table, {kind, constants.adam, rate, constants.clip}, g,
                                   expected.optimizer, expected.weights);
    CHECK(double{norm} == figure_of(step.figures, "grad_norm"));
    CHECK(double{rate} == figure_of(step.figures, "learning_rate"));
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

constexpr std::array mismatch_names{"sampling/importance_sampling_ratio/min",
                                    "sampling/importance_sampling_ratio/mean",
                                    "sampling/importance_sampling_ratio/max",
                                    "rollout_corr/rollout_is_ratio_fraction_high",
                                    "rollout_corr/rollout_is_eff_sample_size",
                                    "rollout_corr/kl",
                                    "rollout_corr/k3_kl",
                                    "rollout_corr/exact_kl"};

std::vector<double> mismatch_of(const sim::rollout_step& step) {
  std::vector<double> values;
  for (const char* name : mismatch_names) values.push_back(figure_of(step.figures, name));
  return values;
}

sim::arm with(sim::arm a, sim::mismatch correction) {
  a.correction = correction;
  return a;
}

TEST_CASE("the_mismatch_is_nothing_where_rollout_and_training_are_the_same_arithmetic") {
  sim::study study = test::tiny_study();
  study.arms.push_back(test::drawn_arm());
  for (sim::arm& a : study.arms) a.noise = sim::rollout_noise::none;
  const setting s(study);
  for (const sim::arm& a : s.constants.arms) {
    INFO(a.name);
    sim::gradient_computer gradient(s);
    sim::training_state state = fresh_state();
    const bool nothing = mismatch_of(sim::grpo_step(s, a, gradient, state)) ==
                         std::vector<double>{1, 1, 1, 0, 1, 0, 0, 0};
    CHECK(nothing == (a.formats.rollout == a.formats.forward));
  }
}

TEST_CASE("the_mismatch_is_measured_before_truncation_and_without_a_correction") {
  sim::study study = test::tiny_study();
  study.grpo.importance_cap = 1.0F;
  const setting s(study);
  const sim::arm& differs = s.constants.arms[4];
  REQUIRE(differs.name == "mxfp4-rollout");
  std::vector<std::vector<double>> found;
  for (const auto correction : {sim::mismatch::none, sim::mismatch::truncated_importance}) {
    sim::gradient_computer gradient(s);
    sim::training_state state = fresh_state();
    found.push_back(mismatch_of(sim::grpo_step(s, with(differs, correction), gradient, state)));
  }
  CHECK(found[0] == found[1]);
  CHECK(found[0][0] < 1.0);
  CHECK(found[0][2] > 1.0);  // above the cap
  CHECK(found[0][3] > 0.0);
}

TEST_CASE("the_mismatch_is_that_of_the_tokens_and_their_distributions") {
  sim::study study = test::tiny_study();
  study.grpo.importance_cap = 1.1F;
  const setting s(study);
  sim::gradient_computer gradient(s);
  sim::training_state state = fresh_state();
  const sim::rollout_step step = sim::grpo_step(s, s.constants.arms[4], gradient, state);
  sim::decoder trained(s.table, s.rope);
  const auto weights = sim::prepare_forward(s.table, warmed_up().weights, {});
  double n = 0, above = 0, sum = 0, squares = 0, k1 = 0, k3 = 0, kl = 0;
  for (const sim::rollout& r : step.rollouts) {
    trained.take({&r.tokens, 1});
    trained.forward(weights, {});
    REQUIRE(r.log_distributions.size() == r.log_probability.size() * 32);
    for (std::size_t t = 0; t < r.log_probability.size(); ++t) {
      const float *p = trained.log_distribution(0, static_cast<int>(t)),
                  *q = r.log_distributions.data() + 32 * t;
      const auto token = r.tokens.tokens[static_cast<std::size_t>(r.tokens.prompt) + t];
      REQUIRE(q[token] == r.log_probability[t]);
      const double log_ratio = double{p[token]} - double{q[token]}, ratio = std::exp(log_ratio);
      n += 1;
      above += ratio > 1.1 ? 1 : 0;
      sum += ratio;
      squares += ratio * ratio;
      k1 -= log_ratio;
      k3 += ratio - 1 - log_ratio;
      for (int v = 0; v < 32; ++v) kl += std::exp(double{q[v]}) * (double{q[v]} - double{p[v]});
    }
  }
  REQUIRE(above > 0);
  const std::vector<double> found = mismatch_of(step);
  CHECK(found[1] == Approx(sum / n));
  CHECK(found[3] == Approx(above / n));
  CHECK(found[4] == Approx(sum * sum / (n * squares)));
  CHECK(found[5] == Approx(k1 / n));
  CHECK(found[6] == Approx(k3 / n));
  CHECK(found[7] == Approx(kl / n));
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
    CHECK(step.rewards[i] == (s.task->solved(r.tokens) ? 1.0F : 0.0F));
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

// ---- several updates a batch
// ---------------------------------------------------------------------

sim::study several_updates(float learning_rate = 1e-2F) {
  sim::study study = test::tiny_study();
  study.grpo.minibatches = 4;
  study.grpo.learning_rate = learning_rate;
  study.grpo.ramp_steps = 1;
  return study;
}

const char* clip_names[] = {"clip_ratio/low_mean", "clip_ratio/high_mean", "clip_ratio/region_mean",
                            "actor/pg_clipfrac_lower", "actor/ppo_kl"};

TEST_CASE("updates_of_a_batch_clip_the_ratio_to_the_policy_before_the_first_of_them") {
  const setting s(several_updates());
  const sim::grpo_constants& constants = s.constants.grpo;
  sim::arm drawn = test::drawn_arm();
  drawn.formats.rollout = {};  // so that some answers are right
  for (const sim::arm& a : {s.constants.arms[1], s.constants.arms[4], drawn}) {
    INFO(a.name);
    sim::gradient_computer gradient(s);
    sim::training_state state = fresh_state();
    const sim::rollout_step step = sim::grpo_step(s, a, gradient, state);
    const std::vector<sim::sequence> batch = sequences_of(step);
    const floats advantage =
        sim::advantages(step.rewards, constants.samples, constants.advantage_epsilon);
    const auto formats = s.at_step(a.formats, sim::stream::training_operands, 0);
    // The policy before the updates, sequence by sequence.
    std::vector<floats> old(batch.size());
    sim::decoder before(s.table, s.rope);
    const auto first_weights =
        sim::prepare_forward(s.table, warmed_up().weights, formats.of(sim::pass::forward));
    for (std::size_t i = 0; i < batch.size(); ++i) {
      before.take({&batch[i], 1}, static_cast<int>(i));
      before.forward(first_weights, formats.of(sim::pass::forward));
      for (const auto& o : before.outcomes()) old[i].push_back(o.log_probability);
    }
    sim::training_state expected = fresh_state();
    int tokens = 0, low = 0, high = 0;
    double kl = 0;
    for (int m = 0; m < 4; ++m) {
      const std::span<const sim::sequence> part(batch.data() + 8 * m, 8);
      int part_tokens = 0;
      for (const sim::sequence& q : part) part_tokens += q.response();
      const auto forward =
          sim::prepare_forward(s.table, expected.weights, formats.of(sim::pass::forward));
      const auto backward = sim::prepare_backward(s.table, expected.weights, formats);
      sim::gradient_computer again(s);
      const auto clipped = [&](double ratio, float adv) {
        return adv > 0 ? ratio > double{1.0F + 0.28F}
                       : adv < 0 && (ratio < double{1.0F - 0.2F} || ratio > 3.0);
      };
      const auto ratio_of = [&](std::size_t i, std::size_t t, float log_p) {
        return sim::exponential(log_p - old[i][t]);
      };
      const floats g = again(
          formats, forward, backward, part,
          [&](int index, int position, const sim::token_outcome& o) {
            const auto i = static_cast<std::size_t>(index), t = static_cast<std::size_t>(position);
            const float ratio = ratio_of(i, t, o.log_probability);
            const float w =
                a.correction == sim::mismatch::none
                    ? 1.0F
                    : sim::importance_weight(old[i][t], step.rollouts[i].log_probability[t], 2.0F);
            const float slope = clipped(double{ratio}, advantage[i]) ? 0 : ratio * advantage[i];
            return 1.0F / static_cast<float>(part_tokens) * (w * slope);
          },
          8 * m);
      auto outcome = again.scored().outcomes.begin();
      for (std::size_t i = 8 * static_cast<std::size_t>(m);
           i < 8 * (static_cast<std::size_t>(m) + 1); ++i) {
        for (std::size_t t = 0; t < old[i].size(); ++t, ++outcome, ++tokens) {
          const float ratio = ratio_of(i, t, outcome->log_probability);
          if (advantage[i] > 0 && ratio > 1.28F) ++high;
          if (advantage[i] < 0 && ratio < 0.8F) ++low;
          kl += double{old[i][t]} - double{outcome->log_probability};
        }
      }
      (void)sim::update(s.table, {.learning_rate = constants.learning_rate, .clip = constants.clip},
                        g, expected.optimizer, expected.weights);
    }
    const bool same_weights = expected.weights == state.weights,
               same_moments = expected.optimizer.v == state.optimizer.v;
    CHECK(same_weights);
    CHECK(same_moments);
    CHECK(state.step == 1);
    CHECK(state.optimizer.step == 4);
    CHECK(low + high > 0);
    CHECK(figure_of(step.figures, "clip_ratio/low_mean") == low / double(tokens));
    CHECK(figure_of(step.figures, "clip_ratio/high_mean") == high / double(tokens));
    CHECK(figure_of(step.figures, "clip_ratio/region_mean") == (low + high) / double(tokens));
    CHECK(figure_of(step.figures, "actor/ppo_kl") == kl / tokens);
  }
}

TEST_CASE("each_clip_key_changes_steps_of_several_updates_and_none_steps_of_one") {
  const auto hash = [](sim::study study) {
    const setting s(study);
    sim::gradient_computer gradient(s);
    sim::training_state state = fresh_state();
    (void)sim::grpo_step(s, s.constants.arms[0], gradient, state);
    const sim::rollout_step step = sim::grpo_step(s, s.constants.arms[0], gradient, state);
    return sim::step_hash(state, step);
  };
  for (const int minibatches : {1, 4}) {
    sim::study study = several_updates();
    study.grpo.minibatches = minibatches;
    study.grpo.prompts = 32;  // so that every update has answers that are right
    const std::string plain = hash(study);
    struct {
      const char* name;
      float sim::grpo_constants::*key;
      float value;
    } const changes[] = {{"ratio_low", &sim::grpo_constants::ratio_low, 0.01F},
                         {"ratio_high", &sim::grpo_constants::ratio_high, 0.01F},
                         {"dual_clip", &sim::grpo_constants::dual_clip, 1.01F}};
    for (const auto& change : changes) {
      INFO(change.name << ", " << minibatches << " updates");
      sim::study other = study;
      other.grpo.*change.key = change.value;
      CHECK((hash(other) == plain) == (minibatches == 1));
    }
  }
}

TEST_CASE("weights_that_do_not_move_have_ratio_1_in_every_update") {
  const setting s(several_updates(1e-38F));
  sim::arm drawn = test::drawn_arm();  // random bits of X too: they are those of the whole batch
  drawn.formats.rollout.data = drawn.formats.forward.data = drawn.formats.dgrad.data;
  for (const sim::arm& a : {s.constants.arms[1], s.constants.arms[4], drawn}) {
    INFO(a.name);
    sim::gradient_computer gradient(s);
    sim::training_state state = fresh_state();
    const sim::rollout_step step = sim::grpo_step(s, a, gradient, state);
    for (const char* name : clip_names) CHECK(figure_of(step.figures, name) == 0.0);
  }
}

TEST_CASE("clips_are_logged_only_where_a_batch_has_several_updates") {
  const setting s(test::tiny_study());
  sim::gradient_computer gradient(s);
  sim::training_state state = fresh_state();
  const sim::rollout_step step = sim::grpo_step(s, s.constants.arms[0], gradient, state);
  for (const char* name : clip_names) CHECK_FALSE(has_figure(step.figures, name));
}

}  // namespace
