// SPDX-License-Identifier: Apache-2.0
// sim/device/device_calls.h: what a run asks of CUDA itself; the tests have a layer without a
// device.
#pragma once
#include <cstddef>

#include "mx/kernels/status.h"

namespace sim {

// They throw device_error with the call that failed and CUDA's message.

[[nodiscard]] int device_count();

[[nodiscard]] mx::kernels::stream new_stream();
void end_stream(mx::kernels::stream on) noexcept;

[[nodiscard]] void* new_device_memory(std::size_t bytes);
/// Accepts null.
void free_device_memory(void* memory) noexcept;

/// wait_for ends this and all copies.
void copy_to_device(void* to, const void* from, std::size_t bytes, mx::kernels::stream on);
/// Lines of bytes to dense ones on the device.
///   stride  of the host's lines, in bytes, at most the pitch that CUDA takes: 2^31 - 1
void copy_lines_to_device(void* to, const void* from, std::size_t stride, std::size_t lines,
                          std::size_t bytes_a_line, mx::kernels::stream on);
void copy_to_host(void* to, const void* from, std::size_t bytes, mx::kernels::stream on);
void wait_for(mx::kernels::stream on);

}  // namespace sim
