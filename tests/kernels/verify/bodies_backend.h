// SPDX-License-Identifier: Apache-2.0
// tests/kernels/verify/bodies_backend.h: cases answered by the kernels' bodies in the grid on the
// CPU.
#pragma once
#include "case_requests.h"
#include "cross_check.h"
#include "tests/kernels/grid/host_launch.h"

namespace kernels_test {

/// A case's request, launched with its arrays where they lie.
[[nodiscard]] host_answer served(const mx::kernels::kernel_case& one,
                                 const mx::kernels::case_memory& at);

/// Answers every case, and checks that the kernel that the case names has served it.
[[nodiscard]] mx::kernels::backend bodies_backend();

}  // namespace kernels_test
