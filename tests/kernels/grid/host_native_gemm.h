// SPDX-License-Identifier: Apache-2.0
// tests/kernels/grid/host_native_gemm.h: products by Blackwell's FP4 instructions, whose meaning is
// the emulator's here.
#pragma once
#include "host_gemm.h"

namespace kernels_test {

/// Which of a device's instructions: a warp's mma.sync, or tcgen05's.
enum class native_unit : std::uint8_t { warp, tensor_memory };

///   request  in order, with gemm_kernel::native
host_answer native_gemm(const mx::kernels::gemm_request& request, native_unit unit);

}  // namespace kernels_test
