// SPDX-License-Identifier: Apache-2.0
// sim/device/codes_on_device.h: products of codes under the model of a tensor core by the kernels
// of a device, each by the fastest that supports it; any other model by the core's.
#pragma once
#include "sim/device/lane.h"
#include "sim/policy/value_products.h"

namespace sim {

/// Operands are copied to the device and results back, call by call: left ones as numbers where
/// is_quantized_on_device, others as codes and scales.
class codes_on_device : public products_of_codes {
 public:
  explicit codes_on_device(lanes& by) : lanes_(by) {}

  [[nodiscard]] std::unique_ptr<const coded_factor> factor(const mx::gemm_plan& plan,
                                                           const operand_lines& b) const override;
  [[nodiscard]] std::unique_ptr<const leaves_of_codes> leaves(
      const mx::gemm_plan& plan, int m, int n,
      std::span<const mx::coded_outer_product> leaves) const override;

 private:
  lanes& lanes_;
};

}  // namespace sim
