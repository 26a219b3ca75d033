// SPDX-License-Identifier: Apache-2.0
// tests/kernels/grid/host_launch.h: requests served as on a device, with the same choice of
// kernels, in the grid on the CPU.
#pragma once
#include <string>

#include "mx/kernels/decompose.h"
#include "mx/kernels/quantize.h"
#include "mx/kernels/rotate.h"

namespace kernels_test {

/// The result of a launch.
///   kernels  names of the kernels that ran, in order, separated by commas
struct host_answer {
  mx::kernels::status status;
  std::string kernels;
};

host_answer quantize(const mx::kernels::quantize_request& request);
host_answer dequantize(const mx::kernels::dequantize_request& request);
host_answer fake_quantize(const mx::kernels::fake_quantize_request& request);
host_answer rotate_quantize(const mx::kernels::rotate_quantize_request& request);
host_answer decompose(const mx::kernels::decompose_request& request);

/// The sum of a request whose shares are there.
void add_shares(const mx::kernels::decompose_request& request);

}  // namespace kernels_test
