// SPDX-License-Identifier: Apache-2.0
// kernels/verify/device_products.h: products by the device at hand.
#pragma once
#include <stdexcept>

#include "product_cases.h"

namespace mx::kernels {

/// This device lacks the instructions of a kernel; what() is the launcher's sentence.
class lacks_instructions : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// D of a case whose output is FP32.
///   errors  lacks_instructions; std::runtime_error with the launcher's sentence, or the CUDA call that
///           failed
[[nodiscard]] std::vector<std::uint32_t> product_of_device(const product_case& one,
                                                           const product_input& input);

}  // namespace mx::kernels
