// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/launches.h: launches of products, each in the file of its kernel. The request is
// validated and not empty, and a device is usable.
#pragma once
#include "mx/kernels/corrected_gemm.h"

namespace mx::kernels {

status launch_wgmma(const gemm_request& request, stream on);
/// Prepares B of a request in request.prepared.memory.
status launch_wgmma_prepare_b(const gemm_request& request, stream on);
status launch_native(const gemm_request& request, stream on);
status launch_fma(const gemm_request& request, stream on);
status launch_fma(const corrected_gemm_request& request, stream on);

}  // namespace mx::kernels
