// SPDX-License-Identifier: Apache-2.0
// tests/kernels/golden/rectangles.h: cases of blocks of several rows by golden/reference.
#pragma once
#include <optional>

#include "case_table.h"

namespace kernels_test {

/// The result of matrices_of_golden for the same blocks written as lines; empty if it has none.
std::optional<std::vector<mx::kernels::named_bytes>> rectangles_of_golden(
    const mx::kernels::kernel_case& one, const mx::kernels::case_input& input);

}  // namespace kernels_test
