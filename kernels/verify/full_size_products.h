// SPDX-License-Identifier: Apache-2.0
// kernels/verify/full_size_products.h: products of the size that is timed. Has not run on its
// hardware.
#pragma once
#include <vector>

#include "program.h"

namespace mx::kernels {

/// Products of 8192^3: every element of each kernel's D equals that of `mma`, and those of a sample
/// the core's.
[[nodiscard]] std::vector<device_layer::own_case> full_size_cases();

}  // namespace mx::kernels
