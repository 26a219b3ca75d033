// SPDX-License-Identifier: Apache-2.0
// tests/kernels/golden/backend.h: cases computed by golden/reference, in exact numbers.
#pragma once
#include "cross_check.h"

namespace kernels_test {

/// Golden's results: everything except products of parts of a model that golden does not offer for
/// these operands. Layouts of scales come from mx/tensor/layout.h: golden computes numbers, not
/// places.
[[nodiscard]] mx::kernels::backend golden_backend();

/// The case limited to as many elements as golden's speed allows.
[[nodiscard]] mx::kernels::kernel_case shortened(mx::kernels::kernel_case one);
[[nodiscard]] mx::kernels::product_case shortened(mx::kernels::product_case one);
[[nodiscard]] mx::kernels::corrected_case shortened(mx::kernels::corrected_case one);

}  // namespace kernels_test
