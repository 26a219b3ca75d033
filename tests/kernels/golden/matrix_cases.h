// SPDX-License-Identifier: Apache-2.0
// tests/kernels/golden/matrix_cases.h: matrices quantized, rotated and dequantized by
// golden/reference.
#pragma once
#include <optional>

#include "case_table.h"

namespace kernels_test {

/// Empty if golden has no result: for decompositions of several shares.
[[nodiscard]] std::optional<std::vector<mx::kernels::named_bytes>> matrices_of_golden(
    const mx::kernels::kernel_case& one, const mx::kernels::case_input& input);

}  // namespace kernels_test
