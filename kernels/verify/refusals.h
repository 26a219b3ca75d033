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
struct refusal {
  std::string what;
  launch_error expected;
  status answer;

  [[nodiscard]] bool is_right() const { return answer.error == expected; }
};

/// Null, misaligned and overlapping pointers, sizes that are negative, no multiples, zero, or too
/// large, formats without a kernel, workspaces that are too small; CUDA's errors after a launch.
/// Nothing is launched, also if a size is zero.
[[nodiscard]] std::vector<refusal> refused_requests();

/// A valid request for every launcher, for use without a device. On a device it would run.
[[nodiscard]] std::vector<refusal> requests_without_a_device();

}  // namespace mx::kernels
