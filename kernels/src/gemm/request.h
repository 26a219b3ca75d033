// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/request.h: validation of a product's request before launch.
#pragma once
#include <vector>

#include "mx/kernels/corrected_gemm.h"
#include "requests.h"

namespace mx::kernels {

status checked(const gemm_request& request);
status checked(const corrected_gemm_request& request);

/// Validates what gemm_prepare_b reads of a request whose `prepared` is what it will make.
///   bytes  of its memory
status checked_preparation(const gemm_request& request, std::int64_t bytes);
/// The request with the description of its B, prepared in `memory`.
[[nodiscard]] gemm_request preparing(const gemm_request& request, void* memory);

// Memory of a request whose sizes are valid.
[[nodiscard]] extent result_of(const gemm_request& request);
/// Codes and scales of a and b, and C; a null extent for C if D is computed in its place.
[[nodiscard]] std::vector<extent> inputs_of(const gemm_request& request);

}  // namespace mx::kernels
