// SPDX-License-Identifier: Apache-2.0
// sim/device/values_on_device.h: products of FP32 numbers by the kernels of a device.
#pragma once
#include "sim/device/codes_on_device.h"

namespace sim {

/// Operands are copied to the device and results back, call by call. Left ones are quantized there
/// where is_quantized_on_device.
class values_on_device : public value_products {
 public:
  [[nodiscard]] std::unique_ptr<const right_factor> factor(
      int k, std::span<const factor_columns> side_by_side) const override;
  void add(const mx::value_leaves& leaves) const override;
  [[nodiscard]] const products_of_codes& of_codes() const override { return codes_; }

 private:
  mutable lanes lanes_;
  codes_on_device codes_{lanes_};
};

}  // namespace sim
