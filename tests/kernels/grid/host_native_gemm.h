// SPDX-License-Identifier: Apache-2.0
// tests/kernels/grid/host_native_gemm.h: products by Blackwell's FP4 instructions, computed by the
// emulator's model.
#pragma once
#include "host_gemm.h"

namespace kernels_test {

/// The device instruction: a warp's mma.sync, or tcgen05's.
enum class native_unit : std::uint8_t { warp, tensor_memory };

///   request  valid, with gemm_kernel::native
host_answer native_gemm(const mx::kernels::gemm_request& request, native_unit unit);

}  // namespace kernels_test
