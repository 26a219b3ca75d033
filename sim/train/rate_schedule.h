// SPDX-License-Identifier: Apache-2.0
// sim/train/rate_schedule.h: the learning rate of a GRPO step.
#pragma once
#include "sim/study/study.h"

namespace sim {

/// 1 at the end of the ramp, the final fraction f at the last step.
///   linear  1 - (1 - f) x      cosine  f + (1 - f) (1 + cos(pi x)) / 2, with x = past / whole
///   past    steps behind the ramp, from 0 to `whole`, which is above 0
[[nodiscard]] float decayed_share(rate_decay decay, float final_fraction, int past, int whole);

/// Of an arm at a step, which counts from 0: a linear ramp over the first `ramp_steps`, then the
/// study's schedule up to the last step, and the value of the last step from there.
[[nodiscard]] float learning_rate_at(const arm& a, const grpo_constants& g, int step);

}  // namespace sim
