// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/operation_orders.h: orders of FP32 operations that compute NVFP4's scale
// and elements, without the other habits of the kernels that use them.
// Source: mx/presets/nvfp4_operation_order.h.
#pragma once
#include <string_view>
#include <vector>

#include "mx/presets/nvfp4_variant.h"

namespace golden::validator {

/// An order by a formula: a is a block's amax, x an element, s the decoded block scale, t the
/// tensor scale and S = 2688 / amax its reciprocal; each operation is rounded to FP32.
struct named_order {
  std::string_view formula;
  mx::nvfp4_variant arithmetic;
};

/// Orders for a format of blocks of 16 in one row; with a tensor scale of the bound, or without
/// one.
[[nodiscard]] const std::vector<named_order>& operation_orders(const mx::block_format& f);

}  // namespace golden::validator
