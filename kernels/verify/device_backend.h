// SPDX-License-Identifier: Apache-2.0
// kernels/verify/device_backend.h: cases answered by the device at hand, and its speed.
#pragma once
#include "case_table.h"

namespace mx::kernels {

/// errors  std::runtime_error where no device can be used
void expect_device();

///   errors  std::runtime_error with the launcher's sentence, or the CUDA call that failed
[[nodiscard]] std::vector<named_bytes> results_of_device(const kernel_case& one,
                                                         const case_input& input);

/// How fast a kernel moves its bytes, beside a copy in the device's memory of as many.
///   ratio  of the two rates; medians of several runs in turn
struct kernel_speed {
  std::string name;
  double gigabytes_a_second, copy_gigabytes_a_second, ratio;
};

/// The kernels of matrices of 2^30 elements, or as many as a fifth of the device's memory holds.
[[nodiscard]] std::vector<kernel_speed> measured_speeds();

}  // namespace mx::kernels
