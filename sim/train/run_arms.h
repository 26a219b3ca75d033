// SPDX-License-Identifier: Apache-2.0
// sim/train/run_arms.h: the training of a run's arms, each from where its checkpoint ends.
#pragma once
#include <memory>
#include <vector>

#include "sim/train/run_context.h"

namespace sim {

/// The checkpoints that the folder holds, in the order of the arms; empty ones of the others.
///   errors  run_error
[[nodiscard]] std::vector<checkpoint> held_arms(run_context& run);

/// Weights that something else owns, and which outlive every arm.
[[nodiscard]] std::shared_ptr<const std::vector<float>> unowned(const std::vector<float>& weights);

/// Trains the arms until the last step, a divergence or a requested stop, and saves them.
///   weights  of the warmed-up policy, which all of them start from; must outlive them
///   arms     as held_arms() returns them
///   errors   run_error
void train_arms(run_context& run, const std::vector<float>& weights, std::vector<checkpoint>& arms);

}  // namespace sim
