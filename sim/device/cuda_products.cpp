// SPDX-License-Identifier: Apache-2.0
// sim/device/cuda_products.cpp: products of a run on a CUDA device. Has not run on one.
#include "sim/device/device_products.h"
#include "sim/device/values_on_device.h"

namespace sim {
namespace {

/// One product of 1 by 1, so that a device without code for it is refused before a run begins.
void expect_usable(const value_products& by) {
  const float two = 2;
  float four = 0;
  by.factor(1, {{factor_columns{&two, 1, factor_columns::form::as_is}}})
      ->multiply(1, &two, 1, &four);
  if (four != 4) throw device_error("the device computes 2 * 2 wrongly");
}

}  // namespace

std::unique_ptr<const value_products> cuda_products() {
  if (device_count() == 0) {
    throw device_error(
        "run.device = \"cuda\": there is no CUDA device; \"cpu\" gives the same bits");
  }
  auto products = std::make_unique<values_on_device>();
  expect_usable(*products);
  return products;
}

}  // namespace sim
