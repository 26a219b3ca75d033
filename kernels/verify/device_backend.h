// SPDX-License-Identifier: Apache-2.0
// kernels/verify/device_backend.h: cases computed by the current device.
#pragma once
#include "case_table.h"

namespace mx::kernels {

///   errors  std::runtime_error with the launcher's sentence, or the CUDA call that failed
[[nodiscard]] std::vector<named_bytes> results_of_device(const kernel_case& one,
                                                         const case_input& input);

}  // namespace mx::kernels
