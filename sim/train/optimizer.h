// SPDX-License-Identifier: Apache-2.0
// sim/train/optimizer.h: Adam with a clipped gradient, and the ramp of learning rates.
#pragma once
#include <vector>

#include "sim/policy/parameters.h"

namespace sim {

struct adam_state {
  std::vector<float> m, v;
  int step = 0;  ///< updates so far
};

/// Euclidean norm of the gradient: squares in binary64 over 16 virtual lanes and a fixed tree for
/// each parameter, then parameter by parameter.
[[nodiscard]] float gradient_norm(const parameter_table& table, const std::vector<float>& gradient);

/// One update. A gradient whose norm exceeds `clip` is scaled down to it first.
/// Returns the norm before clipping.
///   errors  divergence; where the update itself diverges, after it
float update(const parameter_table& table, const adam_constants& constants, float learning_rate,
             float clip, std::vector<float> gradient, adam_state& state,
             std::vector<float>& weights);

/// Linear ramp over the first `ramp_steps`, then constant. `step` counts from 0.
[[nodiscard]] float ramped_rate(float rate, int ramp_steps, int step);

}  // namespace sim
