// SPDX-License-Identifier: Apache-2.0
// tests/kernels/golden/matrix_cases.h: matrices quantized, rotated and dequantized by
// golden/reference.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "case_table.h"

namespace kernels_test {

/// Empty if golden has no result.
[[nodiscard]] std::optional<std::vector<mx::kernels::named_bytes>> matrices_of_golden(
    const mx::kernels::kernel_case& one, const mx::kernels::case_input& input);

/// The entries of a decomposition (mx::kernels::share_entries_of), and the sum.
///   one       of blocks of one row
///   elements  of each block inside the matrix
[[nodiscard]] std::vector<std::vector<std::uint8_t>> decomposition_of_golden(
    const mx::kernels::kernel_case& one, const mx::kernels::case_input& input,
    const std::vector<std::int64_t>& elements);

}  // namespace kernels_test
