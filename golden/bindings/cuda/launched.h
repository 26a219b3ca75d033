// SPDX-License-Identifier: Apache-2.0
// golden/bindings/cuda/launched.h: a launcher's status as a status of the C ABI.
#pragma once
#include <string>

#include "mx/kernels/status.h"
#include "mxprism/cuda.h"

namespace bindings::cuda {

/// Refuses a call of another version's handles, or without a usable device.
///   errors  mx_status_unsupported, mx_status_device
void expect_usable();

/// Refuses what a launcher refused.
///   subject  of the message: a format or a model
void expect_launched(const std::string& subject, const mx::kernels::status& answer);

[[nodiscard]] inline mx::kernels::stream stream_of(mx_cuda_stream stream) {
  return static_cast<mx::kernels::stream>(stream);
}

}  // namespace bindings::cuda
