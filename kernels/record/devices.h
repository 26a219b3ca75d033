// SPDX-License-Identifier: Apache-2.0
// kernels/record/devices.h: which instruction computes which model's words on a device of which
// architecture.
#pragma once
#include <string>
#include <vector>

#include "golden/vectors/word_file.h"
#include "recording.h"

namespace mx::kernels {

/// Computes the words of a model on this device.
///   kernel   of `threads` threads a block; a stub has fewer (kernels/src/launch.h, compiled_for)
struct recorder {
  std::string model;
  void (*launch)(const struct device_words& words, int count);
  const void* kernel;
  int threads;
};

/// Recorders of a compute capability, such as 90 for 9.0. This program may lack their code.
[[nodiscard]] std::vector<recorder> recorders_of(int compute_capability);

/// Whether this program has a recorder's code for the current device.
[[nodiscard]] bool has_code(const recorder& by);

/// The device's bits for the words of a file.
///   by      has its code
///   errors  std::runtime_error with the CUDA call that failed
[[nodiscard]] std::vector<std::uint32_t> recorded_words(const recorder& by,
                                                        const golden::words::word_file& words);

}  // namespace mx::kernels
