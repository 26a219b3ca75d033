// SPDX-License-Identifier: Apache-2.0
// golden/bindings/cuda/device_calls.h: what the library asks of CUDA itself; the tests have a layer
// without a device.
#pragma once
#include <cstdint>
#include <string>

#include "mx/kernels/status.h"

namespace bindings::cuda {

/// The part that is missing, and the remedy, in one sentence; empty if a device can be used.
[[nodiscard]] std::string missing_part();

/// The architectures that the kernels are compiled for, and that of the current device.
[[nodiscard]] std::string architectures();

// They throw refused with mx_status_device and the call that failed.

/// Sets bytes of the device to zero.
void clear_bytes(void* data, std::uint64_t bytes, mx::kernels::stream on);

/// Copies from the device, and waits for the stream.
void fetch_bytes(void* to, const void* from, std::uint64_t bytes, mx::kernels::stream on);

}  // namespace bindings::cuda
