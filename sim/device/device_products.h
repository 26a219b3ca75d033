// SPDX-License-Identifier: Apache-2.0
// sim/device/device_products.h: products of a run by the kernels on a CUDA device.
#pragma once
#include <memory>

#include "sim/policy/value_products.h"
#include "sim/study/input_error.h"
#include "sim/study/study.h"

namespace sim {

/// A device that is not there or fails.
class device_error : public input_error {
 public:
  using input_error::input_error;
};

/// Those of the first CUDA device, of FP32 numbers and of codes. Results are those of
/// bulk_products(), except that a NaN of FP32 numbers may have other bits. Has not run on a device.
///   errors  device_error: this build has no kernels, there is no device, or none for which they
///           were compiled; so do its products if a CUDA call fails
[[nodiscard]] std::unique_ptr<const value_products> cuda_products();

/// Null: bulk_products().
///   errors  device_error
[[nodiscard]] inline std::unique_ptr<const value_products> products_of(compute_device device) {
  return device == compute_device::cuda ? cuda_products() : nullptr;
}

}  // namespace sim
