// SPDX-License-Identifier: Apache-2.0
// sim/train/run_warm_up.h: the warm-up of a run, from where its checkpoint ends.
#pragma once
#include "sim/train/run_context.h"

namespace sim {

/// Trains the starting policy until the warm-up is over, which leaves fresh moments for GRPO, or
/// the run is to stop; saves it.
///   reached  where it is, also after an error
///   errors   divergence
void warm_up(run_context& run, checkpoint& reached);

}  // namespace sim
