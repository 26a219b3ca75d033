// SPDX-License-Identifier: Apache-2.0
// sim/train/trainer.cpp: see trainer.h.
#include "sim/train/trainer.h"

#include <algorithm>
#include <cmath>

#include "mx/number/philox.h"
#include "sim/study/sha256.h"
#include "sim/train/policy_update.h"
#include "sim/train/range_figures.h"

namespace sim {

namespace {

/// Outcomes and distributions of a micro-batch's response tokens.
void append_scores(const decoder& d, int vocabulary, scored_batch& scored) {
  scored.outcomes.insert(scored.outcomes.end(), d.outcomes().begin(), d.outcomes().end());
  for (int i = 0; i < std::ssize(d.batch()); ++i) {
    for (int t = 0; t < d.batch()[static_cast<std::size_t>(i)].response(); ++t) {
      const float* log_p = d.log_distribution(i, t);
      scored.log_distributions.insert(scored.log_distributions.end(), log_p, log_p + vocabulary);
    }
  }
}

}  // namespace

int micro_batch_of(const study& s) {
  if (s.run.micro_batch > 0) return s.run.micro_batch;
  int size = 32;
  for (const arm& a : s.arms) size = std::max(size, a.formats.wgrad.sequences);
  return size;
}

std::vector<sequence> setting::prompts(stream use, int step, int count) const {
  std::vector<sequence> result;
  for (int i = 0; i < count; ++i)
    result.push_back(prompt(use, step, static_cast<std::uint32_t>(i)));
  return result;
}

sequence setting::prompt(stream use, int step, std::uint32_t index) const {
  const std::uint32_t counter = counter_word(use, step);
  if (constants.task.splits == problem_splits::none) {
    return task->prompt(constants.seed, counter, index);
  }
  if (use == stream::gate_prompts) return task->prompt(problems.at(problem_use::gate, index));
  if (use == stream::evaluation_prompts) {
    return task->prompt(problems.at(problem_use::evaluation, index));
  }
  return task->prompt(problems.drawn(problem_use::training, counter, index));
}

float token_share(std::span<const sequence> batch) {
  int count = 0;
  for (const sequence& s : batch) count += s.response();
  return 1.0F / static_cast<float>(count);
}

void for_each_micro_batch(const study& s, std::span<const sequence> batch,
                          const std::function<void(std::span<const sequence>, int)>& work) {
  const auto step = static_cast<std::size_t>(micro_batch_of(s));
  for (std::size_t first = 0; first < batch.size(); first += step) {
    work(batch.subspan(first, std::min(step, batch.size() - first)), static_cast<int>(first));
  }
}

gradient_computer::gradient_computer(const setting& s)
    : setting_(s), pass_(s.table, s.rope, micro_batch_of(s.constants)) {}

std::vector<float> gradient_computer::operator()(const step_arithmetic& formats,
                                                 const forward_weights& forward,
                                                 const backward_weights& backward,
                                                 std::span<const sequence> batch,
                                                 const token_weight& weight, int first) {
  pass_.take(batch, first);
  pass_.forward(forward, formats.of(pass::forward));
  std::vector<float> gradient = pass_.gradient(
      forward, backward, formats, [&](int s, int position, const token_outcome& outcome) {
        return weight(first + s, position, outcome);
      });
  scored_ = {};
  for (const decoder& d : pass_.parts()) {
    append_scores(d, setting_.table.shape().vocabulary, scored_);
  }
  return gradient;
}

scored_batch gradient_computer::score(const pass_products& forward, const forward_weights& weights,
                                      std::span<const sequence> batch) {
  scored_batch scored;
  decoder one(setting_.table, setting_.rope);
  for_each_micro_batch(setting_.constants, batch, [&](std::span<const sequence> part, int index) {
    one.take(part, index);
    one.forward(weights, forward);
    append_scores(one, setting_.table.shape().vocabulary, scored);
  });
  return scored;
}

namespace {

/// Standard deviation of the rollout noise at a step: none in the first interval.
float noise_sigma(const study& s, int step) {
  const int intervals = static_cast<int>(s.noise.sigmas.size()) + 1;
  const int interval = intervals * step / s.grpo.steps;
  return interval == 0 ? 0.0F : s.noise.sigmas[static_cast<std::size_t>(interval - 1)];
}

std::vector<rollout> training_rollouts(const setting& s, const arm& a,
                                       const pass_products& products,
                                       const std::vector<float>& weights, int step) {
  const study& c = s.constants;
  std::vector<float> noise;
  if (a.noise == rollout_noise::adaptive) {
    noise = norm_noise(s.table, c.seed, step, noise_sigma(c, step));
  }
  const forward_weights prepared = prepare_forward(s.table, weights, products, noise);
  sampling how = s.sampled(decoding::sampled, c.grpo.samples, stream::training_samples, step);
  how.keep = kept_figures::distributions;
  return sample_responses(s.context(products), prepared,
                          s.prompts(stream::training_prompts, step, c.grpo.prompts), how);
}

std::vector<figure> rollout_figures(const rollout_step& step, int samples) {
  range_figures reward, entropy, length, deviation;
  int without_spread = 0;
  const auto group_size = static_cast<std::size_t>(samples);
  for (std::size_t first = 0; first < step.rewards.size(); first += group_size) {
    range_figures group;
    for (std::size_t i = first; i < first + group_size; ++i) group.take(double{step.rewards[i]});
    double squares = 0;
    for (std::size_t i = first; i < first + group_size; ++i) {
      squares +=
          (double{step.rewards[i]} - group.mean()) * (double{step.rewards[i]} - group.mean());
    }
    deviation.take(std::sqrt(squares / (samples - 1)));
    if (group.least == group.most) ++without_spread;
  }
  for (std::size_t i = 0; i < step.rollouts.size(); ++i) {
    reward.take(double{step.rewards[i]});
    length.take(step.rollouts[i].tokens.response());
    for (const float e : step.rollouts[i].entropy) entropy.take(double{e});
  }
  return {{"reward", reward.mean()},
          {"reward_std", deviation.mean()},
          {"frac_reward_zero_std", static_cast<double>(without_spread) / deviation.count},
          {"entropy", entropy.mean()},
          {"completions/mean_length", length.mean()}};
}

}  // namespace

rollout_step grpo_step(const setting& s, const arm& a, gradient_computer& gradient,
                       training_state& state) {
  rollout_step step;
  const step_arithmetic formats = s.at_step(a.formats, stream::training_operands, state.step);
  step.rollouts = training_rollouts(s, a, formats.of(pass::rollout), state.weights, state.step);
  for (const rollout& r : step.rollouts) {
    step.rewards.push_back(s.task->solved(r.tokens) ? 1.0F : 0.0F);
  }
  step.figures = rollout_figures(step, s.constants.grpo.samples);
  const std::vector<figure> updates = update_policy(s, a, formats, step, gradient, state);
  step.figures.insert(step.figures.end(), updates.begin(), updates.end());
  ++state.step;
  return step;
}

std::string step_hash(const training_state& state, const rollout_step& step) {
  sha256 hash;
  hash.add(state.weights);
  hash.add(state.optimizer.m);
  hash.add(state.optimizer.v);
  for (const rollout& r : step.rollouts) hash.add(r.tokens.tokens);
  hash.add(step.rewards);
  return hash.hexadecimal();
}

}  // namespace sim
