// SPDX-License-Identifier: Apache-2.0
// kernels/verify/device_backend.h: cases computed by the current device.
#pragma once
#include <optional>

#include "case_requests.h"
#include "corrected_cases.h"
#include "grouped_cases.h"
#include "product_cases.h"
#include "value_cases.h"

namespace mx::kernels {

/// Launches a case's request.
///   at  in device memory
[[nodiscard]] status launch(const kernel_case& one, const case_memory& at, stream on);

[[nodiscard]] std::vector<named_bytes> results_of_device(const kernel_case& one,
                                                         const case_input& input);

[[nodiscard]] std::optional<std::vector<std::uint32_t>> product_of_device(
    const product_case& one, const product_input& input);

/// Empty if no code of this program runs on the device.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> groups_of_device(
    const grouped_case& one, const grouped_input& input);
[[nodiscard]] std::vector<std::uint32_t> values_of_device(const value_case& one,
                                                          const value_input& input);
[[nodiscard]] std::vector<std::uint32_t> corrected_product_of_device(const corrected_case& one,
                                                                     const corrected_input& input);

}  // namespace mx::kernels
