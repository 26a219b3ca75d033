// SPDX-License-Identifier: Apache-2.0
// sim/cost/sized_policy.h: policies by the numbers that time and memory depend on: a study's own,
// and published ones of three sizes.
#pragma once
#include <string>
#include <vector>

#include "sim/train/memory_peak.h"

namespace sim {

struct sized_policy {
  std::string name;
  policy_shape shape;

  [[nodiscard]] double parameters() const;
};

/// Qwen2.5-0.5B, Qwen2.5-3B and Qwen3-30B-A3B.
///   source  their config.json
[[nodiscard]] const std::vector<sized_policy>& published_policies();

}  // namespace sim
