// SPDX-License-Identifier: Apache-2.0
// sim/train/policy_update.h: the updates that one batch of rollouts gives.
// With one update the policy being differentiated is the one that the ratio refers to: the ratio is
// 1 and nothing is clipped. With several, each takes its share of the prompts, groups undivided and
// in order, and the ratio p / p_old refers to the weights before the first of them.
//   loss           aggregated over the response tokens of an update's own share, as in verl; tokens
//                  of groups without spread count
//   KL             to the reference policy, in every update that of its own weights
//   learning rate  by step, the same for all updates of a step; Adam counts updates
//   random bits    of quantization: those of the step, in every update
#pragma once
#include <vector>

#include "sim/train/trainer.h"

namespace sim {

/// Updates the state's weights and optimizer, but not its step. Figures: loss, grad_norm (mean over
/// the updates), learning_rate, those of mismatch_figures.h, and
///   rollout_corr/rollout_rs_seq_masked_fraction  share of sequences masked, where masks are used
///   clip_ratio/low_mean, high_mean, region_mean  share of tokens clipped below, above, either
///                                                (TRL)
///   actor/pg_clipfrac_lower                      share of tokens under the dual clip (verl)
///   actor/ppo_kl                                 mean of log p_old - log p (verl)
/// The last five only where a batch has several updates. With a KL term, before each update:
///   kl             mean of the study's estimate over response tokens (TRL)
///   actor/kl_loss  the same as aggregated in the loss, without its coefficient (verl)
///   exact_kl       mean of KL(policy || reference) over the vocabulary, in nats a token
///   batch  rollouts, with their distributions, and rewards
///   check  called before each update
[[nodiscard]] std::vector<figure> update_policy(const setting& s, const arm& a,
                                                const step_arithmetic& formats,
                                                const rollout_step& batch,
                                                gradient_computer& gradient, training_state& state,
                                                const update_check& check = {});

}  // namespace sim
