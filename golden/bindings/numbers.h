// SPDX-License-Identifier: Apache-2.0
// golden/bindings/numbers.h: numbers of any type and alignment as FP32.
#pragma once
#include <cstdint>
#include <vector>

#include "mx/bulk_blocks.h"

namespace bindings {

[[nodiscard]] std::vector<float> widened(mx::number_type type, const void* x, std::uint64_t count);

}  // namespace bindings
