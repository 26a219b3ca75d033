// SPDX-License-Identifier: Apache-2.0
// sim/cost/sized_policy.h: policies by the numbers that time and memory depend on: a study's own, and
// published ones of three sizes.
#pragma once
#include <string>
#include <vector>

#include "sim/train/memory_peak.h"

namespace sim {

/// A policy whose layers compute as a dense shape does.
///   inactive  parameters of a layer that a token does not use: those of its other experts
struct sized_policy {
  std::string name;
  policy_shape shape;
  double inactive = 0;

  /// All parameters, in memory; and those that a token uses, in time.
  [[nodiscard]] policy_numbers numbers() const;
  [[nodiscard]] double active_parameters() const;
};

/// Qwen2.5-0.5B, Qwen2.5-3B and Qwen3-30B-A3B. The experts of the last that a token uses count as one
/// feed-forward layer.
///   source  their config.json
[[nodiscard]] const std::vector<sized_policy>& published_policies();

}  // namespace sim
