// SPDX-License-Identifier: Apache-2.0
// sim/train/batch_rollouts.cpp: see batch_rollouts.h.
#include "sim/train/batch_rollouts.h"

#include <algorithm>
#include <cmath>

#include "sim/train/range_figures.h"
#include "sim/train/rewards.h"
#include "sim/train/shared_rollouts.h"

namespace sim {
namespace {

/// Standard deviation of the rollout noise at a step: none in the first interval.
float noise_sigma(const study& s, int step) {
  const int intervals = static_cast<int>(s.noise.sigmas.size()) + 1;
  const int interval = intervals * step / s.grpo.steps;
  return interval == 0 ? 0.0F : s.noise.sigmas[static_cast<std::size_t>(interval - 1)];
}

std::vector<float> noise_of(const setting& s, const arm& a, int step) {
  const study& c = s.constants;
  if (a.noise != rollout_noise::adaptive) return {};
  return norm_noise(s.table, c.seed, step, noise_sigma(c, step));
}

class batch_sampler {
 public:
  batch_sampler(const setting& s, const arm& a, const pass_products& products,
                const std::vector<float>& weights, int step)
      : s_(s),
        grpo_(s.constants.grpo),
        products_(products),
        prepared_(prepare_forward(s.table, weights, products, noise_of(s, a, step))),
        step_(step) {
    batch_.rollouts.resize(static_cast<std::size_t>(grpo_.prompts) *
                           static_cast<std::size_t>(grpo_.samples));
    batch_.rewards.resize(batch_.rollouts.size());
  }

  batch_rollouts run() {
    std::vector<int> places;
    for (int i = 0; i < grpo_.prompts; ++i) places.push_back(i);
    while (batch_.rounds <= grpo_.max_redraws && !places.empty()) {
      draw(places);
      places = flat_places(places);
      batch_.flat += static_cast<int>(places.size());
    }
    return std::move(batch_);
  }

 private:
  void draw(const std::vector<int>& places) {
    const auto first =
        static_cast<std::uint32_t>(batch_.rounds) * static_cast<std::uint32_t>(grpo_.prompts);
    sampling how = s_.sampled(decoding::sampled, grpo_.samples, stream::training_samples, step_);
    how.keep = kept_figures::distributions;
    how.first_index = first;
    how.places = places;
    std::vector<sequence> prompts;
    for (const int i : places) {
      prompts.push_back(
          s_.prompt(stream::training_prompts, step_, first + static_cast<std::uint32_t>(i)));
    }
    std::vector<rollout> drawn = shared_responses(s_, products_, prepared_, prompts, how);
    for (std::size_t i = 0; i < drawn.size(); ++i) put(places, i, std::move(drawn[i]));
    ++batch_.rounds;
    batch_.groups += static_cast<int>(places.size());
  }

  /// The i-th of the drawn rollouts, at its place.
  void put(const std::vector<int>& places, std::size_t i, rollout drawn) {
    const auto size = static_cast<std::size_t>(grpo_.samples);
    const std::size_t at = static_cast<std::size_t>(places[i / size]) * size + i % size;
    batch_.rewards[at] = reward_of(s_, drawn.tokens);
    batch_.rollouts[at] = std::move(drawn);
  }

  [[nodiscard]] std::vector<int> flat_places(const std::vector<int>& among) const {
    const std::vector<bool> flat = flat_groups(batch_.rewards, grpo_.samples);
    std::vector<int> result;
    for (const int i : among) {
      if (flat[static_cast<std::size_t>(i)]) result.push_back(i);
    }
    return result;
  }

  const setting& s_;
  const grpo_constants& grpo_;
  const pass_products& products_;
  forward_weights prepared_;
  int step_;
  batch_rollouts batch_;
};

std::vector<figure> group_figures(const batch_rollouts& batch, int samples) {
  range_figures reward, entropy, deviation;
  int without_spread = 0;
  const auto group_size = static_cast<std::size_t>(samples);
  for (std::size_t first = 0; first < batch.rewards.size(); first += group_size) {
    range_figures group;
    for (std::size_t i = first; i < first + group_size; ++i) group.take(double{batch.rewards[i]});
    double squares = 0;
    for (std::size_t i = first; i < first + group_size; ++i) {
      squares +=
          (double{batch.rewards[i]} - group.mean()) * (double{batch.rewards[i]} - group.mean());
    }
    deviation.take(std::sqrt(squares / (samples - 1)));
    if (group.least == group.most) ++without_spread;
  }
  for (std::size_t i = 0; i < batch.rollouts.size(); ++i) {
    reward.take(double{batch.rewards[i]});
    for (const float e : batch.rollouts[i].entropy) entropy.take(double{e});
  }
  return {{"reward", reward.mean()},
          {"reward_std", deviation.mean()},
          {"frac_reward_zero_std", static_cast<double>(without_spread) / deviation.count},
          {"entropy", entropy.mean()}};
}

/// Lengths of responses, and of those that are not cut off: 0 where all are, as in TRL.
std::vector<figure> length_figures(const setting& s, const batch_rollouts& batch) {
  range_figures all, terminated, cut_off;
  for (const rollout& r : batch.rollouts) {
    const bool ended = r.tokens.tokens.back() == s.task->end();
    cut_off.take(ended ? 0 : 1);
    all.take(r.tokens.response());
    if (ended) terminated.take(r.tokens.response());
  }
  return {{"completions/mean_length", all.mean()},
          {"completions/min_length", all.least},
          {"completions/max_length", all.most},
          {"completions/clipped_ratio", cut_off.mean()},
          {"completions/mean_terminated_length", terminated.count > 0 ? terminated.mean() : 0},
          {"completions/min_terminated_length", terminated.least},
          {"completions/max_terminated_length", terminated.most}};
}

std::vector<figure> punishment_figures(const setting& s, const batch_rollouts& batch) {
  range_figures solved, overlong;
  const int limit = response_limit(s.constants.task), cache = s.constants.grpo.overlong_cache;
  for (const rollout& r : batch.rollouts) {
    solved.take(s.task->solved(r.tokens) ? 1 : 0);
    overlong.take(double{overlong_penalty(r.tokens.response(), limit, cache)});
  }
  return {{"rewards/solved/mean", solved.mean()}, {"rewards/overlong/mean", overlong.mean()}};
}

}  // namespace

std::vector<bool> flat_groups(const std::vector<float>& rewards, int samples) {
  std::vector<bool> result;
  for (auto first = rewards.begin(); first != rewards.end(); first += samples) {
    result.push_back(std::count(first, first + samples, *first) == samples);
  }
  return result;
}

batch_rollouts drawn_batch(const setting& s, const arm& a, const pass_products& products,
                           const std::vector<float>& weights, int step) {
  return batch_sampler(s, a, products, weights, step).run();
}

std::vector<figure> figures_of(const setting& s, const batch_rollouts& batch) {
  const grpo_constants& c = s.constants.grpo;
  std::vector<figure> result = group_figures(batch, c.samples);
  const auto append = [&](const std::vector<figure>& more) {
    result.insert(result.end(), more.begin(), more.end());
  };
  append(length_figures(s, batch));
  if (c.max_redraws > 0) {
    result.push_back({"train/num_gen_batches", static_cast<double>(batch.rounds)});
    result.push_back(
        {"dynamic_sampling/frac_reward_zero_std", batch.flat / static_cast<double>(batch.groups)});
  }
  if (c.overlong_cache > 0) append(punishment_figures(s, batch));
  return result;
}

}  // namespace sim
