// SPDX-License-Identifier: Apache-2.0
// sim/train/mismatch_figures.h: how far the rollout's policy is from the trained one, on the tokens
// of one batch of rollouts.
#pragma once
#include <vector>

#include "sim/train/trainer.h"

namespace sim {

/// Measured in every arm, before a correction changes anything. With r = p_train / p_rollout of a
/// token, in the order of the tokens:
///   sampling/importance_sampling_ratio/{min,mean,max}  r (TRL's names, which log what is left
///                                                      after truncation)
///   sampling/sampling_logp_difference/{mean,max}       |log r| (TRL)
///   rollout_corr/rollout_is_ratio_fraction_high        share of tokens with r above the cap
///   rollout_corr/rollout_is_eff_sample_size            (sum r)^2 / (n sum r^2): 1 if r is constant
///   rollout_corr/kl, rollout_corr/k3_kl                means of -log r and of r - 1 - log r:
///                                                      estimates of KL(rollout || train)
///   rollout_corr/exact_kl                              that divergence itself, over the vocabulary
/// The names of rollout_corr are verl's, but for the last one.
///   cap       of the arm
///   rollouts  with their distributions
///   trained   the same tokens under the trained policy, before the batch's first update
[[nodiscard]] std::vector<figure> mismatch_figures(float cap, int vocabulary,
                                                   const std::vector<rollout>& rollouts,
                                                   const scored_batch& trained);

}  // namespace sim
