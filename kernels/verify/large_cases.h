// SPDX-License-Identifier: Apache-2.0
// kernels/verify/large_cases.h: cases with enough elements to fill a device; devices only, since
// the bodies on the CPU would take minutes.
#pragma once
#include "case_table.h"
#include "corrected_cases.h"
#include "product_cases.h"

namespace mx::kernels {

/// Each kernel on a matrix of 4096 x 4096, with these sizes in its name.
[[nodiscard]] std::vector<kernel_case> large_case_table();

/// Each kernel and arithmetic of product_table, at 512 x 512 x 512.
[[nodiscard]] std::vector<product_case> large_product_table();

/// Both corrections at 256 x 256 x 512.
[[nodiscard]] std::vector<corrected_case> large_corrected_table();

}  // namespace mx::kernels
