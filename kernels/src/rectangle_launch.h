// SPDX-License-Identifier: Apache-2.0
// kernels/src/rectangle_launch.h: the launches of kernels for blocks of several rows.
#pragma once
#include "decompose/rectangles.h"
#include "mx/kernels/status.h"
#include "quantize/rectangles.h"

namespace mx::kernels {

status launch_rectangles(const blocks_arguments& to, stream on);
status launch_rectangles(const fake_blocks_arguments& to, stream on);
status launch_rectangles(const decompose_arguments& to, stream on);

}  // namespace mx::kernels
