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
struct recorder {
  std::string model;
  void (*launch)(const struct device_words& words, int count);
};

/// Recorders of a compute capability, such as 90 for 9.0.
[[nodiscard]] std::vector<recorder> recorders_of(int compute_capability);

/// The device's bits for the words of a file.
///   errors  std::runtime_error with the CUDA call that failed
[[nodiscard]] std::vector<std::uint32_t> recorded_words(const recorder& by,
                                                        const golden::words::word_file& words);

}  // namespace mx::kernels
