// SPDX-License-Identifier: Apache-2.0
// kernels/verify/device_memory.h: memory and a stream of the current device for a user's library.
#pragma once
#include "user_backend.h"

namespace mx::kernels {

/// Memory of the current device, with a stream of its own, which the default stream does not wait
/// for.
///   errors  std::runtime_error with the call and CUDA's message
[[nodiscard]] user_memory device_memory();

}  // namespace mx::kernels
