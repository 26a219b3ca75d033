// SPDX-License-Identifier: Apache-2.0
// kernels/verify/device_products.h: products by the device at hand, and how fast.
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

/// 10^12 multiplications and additions a second of a product of 8192 x 8192 x 8192, by the fastest
/// kernels that this device has the instructions of: the median of several runs.
struct product_speed {
  std::string name;
  double tera_operations;
};
[[nodiscard]] std::vector<product_speed> measured_product_speeds();

}  // namespace mx::kernels
