// SPDX-License-Identifier: Apache-2.0
// tests/kernels/verify/bodies_backend.h: cases computed by the kernels' bodies in the grid on the
// CPU.
#pragma once
#include "case_requests.h"
#include "cross_check.h"
#include "tests/kernels/grid/host_launch.h"

namespace kernels_test {

/// Launches a case's request on its arrays in place.
[[nodiscard]] host_answer served(const mx::kernels::kernel_case& one,
                                 const mx::kernels::case_memory& at);

/// Computes every case, and checks that the kernel named by the case served it.
[[nodiscard]] mx::kernels::backend bodies_backend();

}  // namespace kernels_test
