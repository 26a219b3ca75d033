// SPDX-License-Identifier: Apache-2.0
// sim/report/divergences.h: arms whose training met a number that is not finite.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sim/report/metrics.h"

namespace sim {

/// Metric of the row that marks an arm as diverged: its step, the pass in `passes`, the tensor in
/// `layer`, the number in `value`.
inline constexpr const char* diverged_metric = "diverged";

/// The marks of all diverged arms, in the order of the file.
[[nodiscard]] std::vector<metric_row> divergences_in(const metrics& m);

/// Step at which an arm diverged; no value if it did not.
[[nodiscard]] std::optional<long long> divergence_of(const metrics& m, const std::string& arm);

/// "arm 'of' diverged at step 7: logits is NaN in forward; the weights of step 6 are kept, and
/// ...".
[[nodiscard]] std::string divergence_words(const metric_row& mark);

}  // namespace sim
