// SPDX-License-Identifier: Apache-2.0
// kernels/verify/case_places.h: the place in a matrix of a byte of a case's results.
#pragma once
#include <string>

#include "case_table.h"

namespace mx::kernels {

/// The first byte that differs, and its place: "rows.codes, byte 5: 0x1A instead of 0x1B, row 0,
/// column 10", of scales "..., row 3, block 7"; the place is left out where a layout permutes
/// scales, and in results that are no matrices. Empty if none differs.
[[nodiscard]] std::string difference_between(const kernel_case& one,
                                             const std::vector<named_bytes>& expected,
                                             const std::vector<named_bytes>& found);

}  // namespace mx::kernels
