// SPDX-License-Identifier: Apache-2.0
// tests/kernels/golden/backend.h: cases answered by golden/reference, in exact numbers.
#pragma once
#include "cross_check.h"

namespace kernels_test {

/// Answers what golden tells: everything but products of parts, of a model that golden has not by
/// these operands, and decompositions of more than one share. Where scales lie in a layout it
/// takes from mx/tensor/layout.h: golden tells numbers, not places.
[[nodiscard]] mx::kernels::backend golden_backend();

/// The case with few elements, as far as they go at golden's speed.
[[nodiscard]] mx::kernels::kernel_case shortened(mx::kernels::kernel_case one);
[[nodiscard]] mx::kernels::product_case shortened(mx::kernels::product_case one);
[[nodiscard]] mx::kernels::corrected_case shortened(mx::kernels::corrected_case one);

}  // namespace kernels_test
