// SPDX-License-Identifier: Apache-2.0
// sim/train/rollout_bias.h: bias of the policy gradient where rollouts come from another arithmetic
// than that of training. The reference is the gradient of the training arithmetic's own rollouts.
// Both draw their tokens with the same random numbers, so they differ where the policies do.
// Noise on weights is no arithmetic: every step draws it anew, and its arms are measured
// without it.
#pragma once
#include "sim/train/frozen.h"

namespace sim {

/// Whether an arm's rollouts come from another arithmetic than that of its forward pass.
[[nodiscard]] bool has_rollout_mismatch(const arm& a);

/// Figures of at least `measurement.mismatch_rollouts` rollouts under each of the two, in 16 parts
/// of whole training batches, which the jackknife leaves out one at a time. The first, and the
/// others for each weighting W by the word of a correction (none, truncated_importance,
/// sequence_mask), under the arm's cap; without those that the parts do not resolve
/// (gradient_bias.h):
///   rollout_agreement                 share of rollouts that are the same under both
///   rollout_gradient_bias_squared.W   |E g - E r|^2 / |E r|^2, of the weighted gradient g of the
///                                     arm's rollouts and the reference r
///   rollout_gradient_cosine.W         of E g and E r
///   rollout_gradient_projection.W     <E g, E r> / |E r|^2
///   rollout_gradient_variance.W       of g between batches, over that of r
[[nodiscard]] cell_figures rollout_bias(const setting& s, const std::vector<float>& weights,
                                        const arm& a);

}  // namespace sim
