// SPDX-License-Identifier: Apache-2.0
// tests/kernels/grid/host_gemm.h: products served as on a device, in the grid on the CPU.
#pragma once
#include "host_launch.h"
#include "mx/kernels/corrected_gemm.h"
#include "mx/kernels/grouped_gemm.h"

namespace kernels_test {

host_answer gemm(const mx::kernels::gemm_request& request);
mx::kernels::status gemm_prepare_b(const mx::kernels::gemm_request& request, void* memory,
                                   std::int64_t bytes, mx::kernels::prepared_b& made);
host_answer gemm_corrected(const mx::kernels::corrected_gemm_request& request);

// Several products; the kernels of all launches, those of one list with their number of products:
// "core 3, mma 10".
host_answer gemm_grouped(const mx::kernels::gemm_grouped_request& request);
host_answer gemm_batched(const mx::kernels::gemm_batched_request& request);

}  // namespace kernels_test
