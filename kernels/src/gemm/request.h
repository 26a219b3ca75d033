// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/request.h: validation of a product's request before launch.
#pragma once
#include "mx/kernels/corrected_gemm.h"

namespace mx::kernels {

status checked(const gemm_request& request);
status checked(const corrected_gemm_request& request);

}  // namespace mx::kernels
