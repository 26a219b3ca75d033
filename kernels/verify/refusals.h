// SPDX-License-Identifier: Apache-2.0
// kernels/verify/refusals.h: requests that every launcher must refuse before it launches anything,
// with a device and without.
#pragma once
#include <string>
#include <vector>

#include "mx/kernels/status.h"

namespace mx::kernels {

/// What a launcher was asked, what it must answer, and what it answered.
///   what  "quantize, null x"
struct refusal {
  std::string what;
  launch_error expected;
  status answer;

  [[nodiscard]] bool is_right() const { return answer.error == expected; }
};

/// Null, misaligned and overlapping pointers, sizes that are negative, no multiples, zero, or too
/// large, formats without a kernel, workspaces that are too small; what CUDA says of a launch.
/// Nothing is launched, also where a size is zero.
[[nodiscard]] std::vector<refusal> refused_requests();

/// A sound request to every launcher, where no device can be used. On a device it would run.
[[nodiscard]] std::vector<refusal> requests_without_a_device();

}  // namespace mx::kernels
