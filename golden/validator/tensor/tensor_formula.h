// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/tensor_formula.h: the orders of FP32 operations in which kernels compute
// a tensor scale.
#pragma once
#include <array>
#include <string>

#include "golden/validator/hypothesis.h"

namespace golden::validator {

/// Those that are not a preset's own.
inline constexpr std::array tensor_formulas{
    tensor_formula::quotient, tensor_formula::reciprocal, tensor_formula::bound_first,
    tensor_formula::largest_first, tensor_formula::of_encode};

/// The tensor scale of a largest magnitude; 1 where the formula gives none (D-015).
///   amax  finite
[[nodiscard]] float tensor_scale_by(tensor_formula how, const mx::block_format& f, float amax);

/// "amax * (1 / 2688)": the formula of a hypothesis; of a preset its own order.
[[nodiscard]] std::string formula_text(const hypothesis& r);

}  // namespace golden::validator
