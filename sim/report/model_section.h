// SPDX-License-Identifier: Apache-2.0
// sim/report/model_section.h: results that a model of products changes, as a run measured them.
#pragma once
#include <string>

#include "sim/report/run_data.h"

namespace sim {

/// Metric of the share of a pass's results that differ from those of `fp32.fma`, at step 0.
inline constexpr const char* model_difference_metric = "model_difference";

/// A table of them and what they mean; empty for a run without such an arm.
[[nodiscard]] std::string model_section(const run_data& run);

}  // namespace sim
