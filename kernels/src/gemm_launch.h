// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm_launch.h: launches of products that have files of their own. What is asked was
// checked, and a device can be used.
#pragma once
#include "mx/kernels/gemm.h"

namespace mx::kernels {

status launch_native(const gemm_request& request, stream on);

}  // namespace mx::kernels
