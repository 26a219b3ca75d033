// SPDX-License-Identifier: Apache-2.0
// sim/train/run_cells.h: the measurement of a run at frozen weights: every arm under every outlier
// factor, one cell each. No result depends on which cells a folder holds already.
#pragma once
#include <vector>

#include "sim/train/run_context.h"

namespace sim {

/// Measures the cells that the folder lacks, and saves each.
///   weights  of the warmed-up policy
///   returns  rows of all cells, and of the factorial contrasts of each factor
///   errors   run_error, stop_requested, divergence of the reference
[[nodiscard]] std::vector<metric_row> frozen_rows(run_context& run,
                                                  const std::vector<float>& weights);

}  // namespace sim
