// SPDX-License-Identifier: Apache-2.0
// tests/train/host_device.h: the device of sim/device without one: memory of the host, and the
// kernels' bodies on the CPU.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace test {

/// What went through the bodies since the last reset.
///   ..rows    of results of single products, and of what was quantized
///   ..leaves  rows of all leaves of weight gradients
///   memory    blocks of device memory in use     streams  in use
struct device_counts {
  std::atomic<std::int64_t> value_rows{0}, value_leaves{0}, code_rows{0}, code_leaves{0},
      quantized_rows{0};
  std::atomic<int> memory{0}, streams{0};

  void reset() { value_rows = value_leaves = code_rows = code_leaves = quantized_rows = 0; }
};

[[nodiscard]] device_counts& counts_of_device();

/// How many devices there are; 1.
void set_device_count(int count);

/// The most bytes from a line to the next that copies of lines take; cuda_most_pitch.
void set_most_pitch(std::size_t bytes);

/// cudaDevAttrMaxPitch of every device so far.
inline constexpr std::size_t cuda_most_pitch = 2147483647;

}  // namespace test
