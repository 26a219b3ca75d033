// SPDX-License-Identifier: Apache-2.0
// kernels/verify/user_cases.h: the cases that requests of mx/kernels/user_library.h can have.
#pragma once
#include "cross_check.h"

namespace mx::kernels {

/// Matrices to quantize, by rows and by columns apart, and to dequantize.
[[nodiscard]] std::vector<kernel_case> user_cases(const std::vector<kernel_case>& all);

// Each product once, whatever kernels of ours compute it; its name ends in `.library`.
[[nodiscard]] std::vector<product_case> user_cases(const std::vector<product_case>& all);
[[nodiscard]] std::vector<word_product> user_cases(const std::vector<word_product>& all);

/// All.
[[nodiscard]] std::vector<golden_blocks> user_cases(const std::vector<golden_blocks>& all);

/// None.
[[nodiscard]] std::vector<corrected_case> user_cases(const std::vector<corrected_case>& all);
[[nodiscard]] std::vector<value_case> user_cases(const std::vector<value_case>& all);
[[nodiscard]] std::vector<grouped_case> user_cases(const std::vector<grouped_case>& all);

}  // namespace mx::kernels
