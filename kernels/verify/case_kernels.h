// SPDX-License-Identifier: Apache-2.0
// kernels/verify/case_kernels.h: the kernel that a case runs, as a text: breakdowns of cases of one
// kernel leave out its other cases, and no others.
#pragma once
#include <string>

#include "case_table.h"
#include "corrected_cases.h"
#include "golden_blocks.h"
#include "grouped_cases.h"
#include "product_cases.h"
#include "value_cases.h"
#include "word_products.h"

namespace mx::kernels {

/// "quantize, wide rows, nvfp4, bf16"; without the format where the core's code serves all formats.
[[nodiscard]] std::string kernel_of(const kernel_case& one);

/// "gemm, mma": under every arithmetic.
[[nodiscard]] std::string kernel_of(gemm_kernel kernel);
[[nodiscard]] std::string kernel_of(const product_case& one);

[[nodiscard]] std::string kernel_of(const corrected_case& one);
[[nodiscard]] std::string kernel_of(const value_case& one);
[[nodiscard]] std::string kernel_of(const grouped_case& one);
[[nodiscard]] std::string kernel_of(const golden_blocks& one);
[[nodiscard]] std::string kernel_of(const word_product& one);

}  // namespace mx::kernels
