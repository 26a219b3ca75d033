// SPDX-License-Identifier: Apache-2.0
// sim/train/trainer.cpp: see trainer.h.
#include "sim/train/trainer.h"

#include <algorithm>
#include <cmath>

#include "mx/number/philox.h"
#include "sim/study/sha256.h"
#include "sim/train/grpo.h"

namespace sim {

namespace {

/// Sequences of a micro-batch if the study does not specify it.
constexpr int default_micro_batch = 32;

}  // namespace

std::vector<sequence> setting::prompts(stream use, int step, int count) const {
  std::vector<sequence> result;
  for (int i = 0; i < count; ++i)
    result.push_back(prompt(use, step, static_cast<std::uint32_t>(i)));
  return result;
}

sequence setting::prompt(stream use, int step, std::uint32_t index) const {
  const std::uint32_t counter = counter_word(use, step);
  if (constants.task.splits == problem_splits::none) {
    return task.prompt(constants.seed, counter, index);
  }
  if (use == stream::gate_prompts) return task.prompt(problems.at(problem_use::gate, index));
  if (use == stream::evaluation_prompts) {
    return task.prompt(problems.at(problem_use::evaluation, index));
  }
  return task.prompt(problems.drawn(problem_use::training, counter, index));
}

float token_share(std::span<const sequence> batch) {
  int count = 0;
  for (const sequence& s : batch) count += s.response();
  return 1.0F / static_cast<float>(count);
}

void for_each_micro_batch(const study& s, std::span<const sequence> batch,
                          const std::function<void(std::span<const sequence>, int)>& work) {
  const int size = s.run.micro_batch > 0 ? s.run.micro_batch : default_micro_batch;
  const auto step = static_cast<std::size_t>(size);
  for (std::size_t first = 0; first < batch.size(); first += step) {
    work(batch.subspan(first, std::min(step, batch.size() - first)), static_cast<int>(first));
  }
}

gradient_computer::gradient_computer(const setting& s) : setting_(s), decoder_(s.table, s.rope) {}

std::vector<float> gradient_computer::operator()(const step_arithmetic& formats,
                                                 const forward_weights& forward,
                                                 const backward_weights& backward,
                                                 std::span<const sequence> batch,
                                                 const token_weight& weight) {
  const pass_products products = formats.of(pass::forward), dgrad = formats.of(pass::dgrad),
                      wgrad = formats.of(pass::wgrad);
  gradient_tree tree(setting_.table.count(), static_cast<int>(batch.size()));
  outcomes_.clear();
  for_each_micro_batch(setting_.constants, batch, [&](std::span<const sequence> part, int first) {
    decoder_.take(part, first);
    decoder_.forward(forward, products);
    decoder_.backward(forward, backward, dgrad,
                      [&](int s, int position, const token_outcome& outcome) {
                        return weight(first + s, position, outcome);
                      });
    if (observer_) observer_(decoder_, static_cast<int>(part.size()));
    decoder_.add_weight_gradients(wgrad, tree);
    outcomes_.insert(outcomes_.end(), decoder_.outcomes().begin(), decoder_.outcomes().end());
  });
  return tree.total();
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
  return sample_responses(
      s.context(products), prepared, s.prompts(stream::training_prompts, step, c.grpo.prompts),
      s.sampled(decoding::sampled, c.grpo.samples, stream::training_samples, step));
}

/// Running minimum, mean and maximum.
struct range_figures {
  double least = 0, most = 0, sum = 0;
  int count = 0;
  void take(double value) {
    least = count == 0 ? value : std::min(least, value);
    most = count == 0 ? value : std::max(most, value);
    sum += value;
    ++count;
  }
  [[nodiscard]] double mean() const { return sum / count; }
};

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
  const grpo_constants& constants = s.constants.grpo;
  rollout_step step;
  const step_arithmetic formats = s.at_step(a.formats, stream::training_operands, state.step);
  step.rollouts = training_rollouts(s, a, formats.of(pass::rollout), state.weights, state.step);
  std::vector<sequence> batch;
  for (const rollout& r : step.rollouts) {
    batch.push_back(r.tokens);
    step.rewards.push_back(s.task.solved(r.tokens) ? 1.0F : 0.0F);
  }
  const std::vector<float> advantage =
      advantages(step.rewards, constants.samples, constants.advantage_epsilon);
  const bool corrected = a.correction == mismatch::truncated_importance;
  const auto importance = [&](int i, int position, const token_outcome& outcome) {
    const auto at = static_cast<std::size_t>(position);
    return corrected
               ? importance_weight(outcome.log_probability,
                                   step.rollouts[static_cast<std::size_t>(i)].log_probability[at],
                                   constants.importance_cap)
               : 1.0F;
  };
  // One update a batch: the policy being differentiated is the one that the ratio refers to.
  constexpr float ratio = 1.0F;
  const float share = token_share(batch);
  const forward_weights forward =
      prepare_forward(s.table, state.weights, formats.of(pass::forward));
  const backward_weights backward = prepare_backward(s.table, state.weights, formats);
  std::vector<float> g = gradient(
      formats, forward, backward, batch, [&](int i, int position, const token_outcome& outcome) {
        const float slope = clipped_slope(ratio, advantage[static_cast<std::size_t>(i)], constants);
        return share * (importance(i, position, outcome) * slope);
      });
  range_figures weight;
  double loss = 0;
  auto outcome = gradient.outcomes().begin();
  for (int i = 0; i < static_cast<int>(batch.size()); ++i) {
    for (int t = 0; t < batch[static_cast<std::size_t>(i)].response(); ++t, ++outcome) {
      const double w = double{importance(i, t, *outcome)};
      weight.take(w);
      loss -= w * double{ratio} * double{advantage[static_cast<std::size_t>(i)]};
    }
  }
  const float rate = ramped_rate(constants.learning_rate, constants.ramp_steps, state.step);
  const float norm = update(s.table, constants.adam, rate, constants.clip, std::move(g),
                            state.optimizer, state.weights);
  ++state.step;
  step.figures = rollout_figures(step, constants.samples);
  step.figures.insert(step.figures.end(),
                      {{"loss", loss / weight.count},
                       {"grad_norm", double{norm}},
                       {"learning_rate", double{rate}},
                       {"sampling/importance_sampling_ratio/min", weight.least},
                       {"sampling/importance_sampling_ratio/mean", weight.mean()},
                       {"sampling/importance_sampling_ratio/max", weight.most}});
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
