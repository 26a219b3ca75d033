// SPDX-License-Identifier: Apache-2.0
// kernels/verify/device_products.h: products by the device at hand, and how fast.
#pragma once
#include "product_cases.h"

namespace mx::kernels {

/// D of a case whose output is FP32.
///   errors  std::runtime_error with the launcher's sentence, or the CUDA call that failed
[[nodiscard]] std::vector<std::uint32_t> product_of_device(const product_case& one,
                                                           const product_input& input);

/// 10^12 multiplications and additions a second of a product of 8192 x 8192 x 8192, by the fastest
/// kernel: its median of several runs.
struct product_speed {
  std::string name;
  double tera_operations;
};
[[nodiscard]] std::vector<product_speed> measured_product_speeds();

}  // namespace mx::kernels
