// SPDX-License-Identifier: Apache-2.0
// sim/train/batch_rollouts.h: the rollouts that a GRPO step trains on.
// Dynamic sampling: groups whose rewards are all the same teach nothing, and are drawn again, with
// new prompts at their places in the batch, in at most `max_redraws` rounds. Round r draws at place
// i the prompt and the random numbers of index r * prompts + i: the same in every arm and for any
// threads. Measurements at frozen weights draw every group once.
// Source: arXiv 2503.14476 (DAPO), which draws without a bound.
#pragma once
#include <vector>

#include "sim/train/trainer.h"

namespace sim {

/// Rollouts with their rewards, group by group.
///   rounds         of drawing, from 1
///   groups, flat   drawn in all rounds; those without spread
struct batch_rollouts {
  std::vector<rollout> rollouts;
  std::vector<float> rewards;
  int rounds = 0, groups = 0, flat = 0;
};

/// Whether each group's rewards are all the same.
[[nodiscard]] std::vector<bool> flat_groups(const std::vector<float>& rewards, int samples);

///   products  of the rollout
[[nodiscard]] batch_rollouts drawn_batch(const setting& s, const arm& a,
                                         const pass_products& products,
                                         const std::vector<float>& weights, int step);

/// TRL's names:
///   reward, reward_std, frac_reward_zero_std, entropy  reward_std: mean over groups
///   completions/{mean,min,max}_length, and the same of responses with an end: _terminated_length
///   completions/clipped_ratio                          share that ends at the limit without an
/// end and
///   train/num_gen_batches                  rounds of drawing (verl), where groups are drawn again
///   dynamic_sampling/frac_reward_zero_std  of all drawn groups, there
///   rewards/solved/mean, rewards/overlong/mean  (TRL's form) where lengths are punished
[[nodiscard]] std::vector<figure> figures_of(const setting& s, const batch_rollouts& batch);

}  // namespace sim
