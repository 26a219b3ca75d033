// SPDX-License-Identifier: Apache-2.0
// tests/kernels/grid/host_values.h: products of FP32 numbers served as on a device, in the grid on
// the CPU.
#pragma once
#include "mx/kernels/values.h"

namespace kernels_test {

mx::kernels::status multiply(const mx::kernels::value_product_request& request);
mx::kernels::status add_leaves(const mx::kernels::value_leaves_request& request);
mx::kernels::status add_products(const mx::kernels::product_leaves_request& request);

}  // namespace kernels_test
