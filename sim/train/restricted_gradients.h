// SPDX-License-Identifier: Apache-2.0
// sim/train/restricted_gradients.h: gradients in which some passes of an arm are quantized, and the
// others are FP32.
#pragma once
#include <functional>
#include <vector>

#include "sim/train/trainer.h"

namespace sim {

/// Passes that are quantized in a gradient; the others are FP32. backward: dgrad and wgrad.
enum class gradient_passes : std::uint8_t { all, forward, dgrad, wgrad, backward };
[[nodiscard]] const char* name_of(gradient_passes p) noexcept;

/// The arithmetic of an arm in these passes, FP32 elsewhere.
[[nodiscard]] arithmetic restricted(const arithmetic& formats, gradient_passes passes);

/// Extent of the gradient measurement: all five restrictions and all layers, or only the total.
enum class gradient_detail : std::uint8_t { full, whole };

/// A policy's weights, and both directions of them in FP32.
struct plain_policy {
  const std::vector<float>& weights;
  const forward_weights& forward;
  const backward_weights& backward;
};

/// A backward pass whose forward pass is done.
struct restricted_pass {
  gradient_passes passes;
  const forward_weights& forward;
  const backward_weights& backward;
  step_arithmetic formats;
};

/// Calls back for every restriction: those with a quantized forward pass first, which they share.
///   pass  has taken the batch
///   at    the arm's arithmetic at a step
void for_each_restriction(const setting& s, const step_arithmetic& at, const plain_policy& policy,
                          gradient_detail detail, batch_pass& pass,
                          const std::function<void(const restricted_pass&)>& take);

}  // namespace sim
