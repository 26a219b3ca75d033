// SPDX-License-Identifier: Apache-2.0
// kernels/verify/refusals.h: requests that every launcher must refuse before a launch,
// with or without a device.
#pragma once
#include <string>
#include <vector>

#include "mx/kernels/status.h"

namespace mx::kernels {

/// A request of a launcher, the required status, and the actual one.
///   what  "quantize, null x"
///   part  required too; of a recipe
struct refusal {
  std::string what;
  launch_error expected;
  status answer;
  recipe_part part = recipe_part::none;

  [[nodiscard]] bool is_right() const { return answer.error == expected && answer.part == part; }
};

/// Null, misaligned and overlapping pointers, sizes that are negative, no multiples, zero, or too
/// large, parts of a recipe without a kernel, workspaces that are too small; CUDA's errors after a
/// launch. Nothing is launched, also if a size is zero.
[[nodiscard]] std::vector<refusal> refused_requests();

/// A valid request for every launcher, for use without a device. On a device it would run.
[[nodiscard]] std::vector<refusal> requests_without_a_device();

}  // namespace mx::kernels
