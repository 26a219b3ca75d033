// SPDX-License-Identifier: Apache-2.0
// sim/study/shape_fault.h: what the keys of a policy's shape must satisfy together.
#pragma once
#include <optional>
#include <string>

#include "sim/study/study.h"

namespace sim {

/// A key of the shape that does not fit others: "a multiple of kv_heads = 4" was expected, "6"
/// found.
struct shape_fault {
  std::string key, expected, found;
};

/// No value for a shape that the decoder takes.
///   shape  each key within its limits (study_keys.h)
[[nodiscard]] std::optional<shape_fault> fault_of(const policy_shape& shape);

}  // namespace sim
