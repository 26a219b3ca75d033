// SPDX-License-Identifier: Apache-2.0
// sim/train/optimizer.h: Adam, AdamW and SGD with a clipped gradient, and the ramp of learning
// rates.
// Source of AdamW: arXiv 1711.05101; weights decay before the step, as in PyTorch.
#pragma once
#include <functional>
#include <vector>

#include "sim/policy/parameters.h"
#include "sim/study/study.h"

namespace sim {

struct adam_state {
  std::vector<float> m, v;  ///< empty before the first update, and under SGD
  int step = 0;             ///< updates so far
};

///   adam                   of Adam and AdamW
///   clip                   limit of the gradient's norm; one that exceeds it is scaled down to it
///                          first
///   weight_decay, decayed  of AdamW
struct update_rule {
  optimizer_kind kind = optimizer_kind::adam;
  adam_constants adam = {};
  float learning_rate = 0, clip = 0;
  float weight_decay = 0;
  decayed_parameters decayed = decayed_parameters::matrices;
};

/// Euclidean norm of the gradient: squares in binary64 over 16 virtual lanes and a fixed tree for
/// each parameter, then parameter by parameter.
[[nodiscard]] float gradient_norm(const parameter_table& table, const std::vector<float>& gradient);

/// One update, made twice: first for its errors, a few numbers at a time, so that no copy of the
/// state is needed to go back to. Returns the norm before clipping.
///   before_change  called in between; where it throws, nothing changes either
///   errors         divergence of the gradient, or of what the update would give; nothing changes
float update(const parameter_table& table, const update_rule& rule, std::vector<float> gradient,
             adam_state& state, std::vector<float>& weights,
             const std::function<void()>& before_change = {});

/// Linear ramp over the first `ramp_steps`, then constant. `step` counts from 0.
[[nodiscard]] float ramped_rate(float rate, int ramp_steps, int step);

}  // namespace sim
