// SPDX-License-Identifier: Apache-2.0
// sim/train/run_comparison.h: what the trainings of a run ended with, compared.
#pragma once
#include <optional>
#include <vector>

#include "sim/train/run_context.h"

namespace sim {

/// Compares the weights that the arms of additivity ended with; none where one of them did not.
///   initial  weights that all arms started from
///   arms     in the study's order
[[nodiscard]] std::vector<metric_row> compared_trainings(const run_context& run,
                                                         const std::vector<float>& initial,
                                                         const std::vector<checkpoint>& arms);

/// The floor of that comparison: the reference trained on other rollouts; none where it diverges.
///   trained  weights that the reference ended with
///   errors   stop_requested
[[nodiscard]] std::optional<metric_row> comparison_floor(const run_context& run,
                                                         const std::vector<float>& initial,
                                                         const std::vector<float>& trained);

}  // namespace sim
