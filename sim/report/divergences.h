// SPDX-License-Identifier: Apache-2.0
// sim/report/divergences.h: arms whose training diverged, or was interrupted.
#pragma once
#include <string>
#include <vector>

#include "sim/report/metrics.h"

namespace sim {

/// Metric of the row that marks an arm as diverged: its step, the pass in `passes`, the tensor in
/// `layer`, the number in `value`.
inline constexpr const char* diverged_metric = "diverged";

/// The marks of all diverged arms, in the order of the file.
[[nodiscard]] std::vector<metric_row> divergences_in(const metrics& m);

/// "diverged at step 7"; of an interrupted run "44 of 400 steps", where FP32 came farther; empty of
/// an arm that was trained as far as FP32.
[[nodiscard]] std::string early_end_of(const metrics& m, const std::string& arm);

/// "arm 'of' diverged at step 7: logits is NaN in forward; the weights of step 6 are kept, and
/// ...".
[[nodiscard]] std::string divergence_words(const metric_row& mark);

}  // namespace sim
