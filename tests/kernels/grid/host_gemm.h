// SPDX-License-Identifier: Apache-2.0
// tests/kernels/grid/host_gemm.h: products served as on a device, in the grid on the CPU.
#pragma once
#include "host_launch.h"
#include "mx/kernels/corrected_gemm.h"

namespace kernels_test {

host_answer gemm(const mx::kernels::gemm_request& request);
host_answer gemm_corrected(const mx::kernels::corrected_gemm_request& request);

}  // namespace kernels_test
