// SPDX-License-Identifier: Apache-2.0
// kernels/verify/device_products.h: products by the current device.
#pragma once
#include <optional>

#include "corrected_cases.h"
#include "product_cases.h"

namespace mx::kernels {

/// D of a case, a code of its output each; empty if the device lacks the kernel's
/// instructions.
///   errors  std::runtime_error with the launcher's sentence, or the CUDA call that failed
[[nodiscard]] std::optional<std::vector<std::uint32_t>> product_of_device(
    const product_case& one, const product_input& input);

/// Bits of D of a product with a correction; errors as above.
[[nodiscard]] std::vector<std::uint32_t> corrected_product_of_device(const corrected_case& one,
                                                                     const corrected_input& input);

}  // namespace mx::kernels
