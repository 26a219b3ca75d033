// SPDX-License-Identifier: Apache-2.0
// mx/kernels/rotate.h: matrices rotated and quantized in one pass on a CUDA device.
// Source: of what the bits are, mx/block/rotation.h and mx/block/block_quantizer.h.
#pragma once
#include "mx/block/rotation.h"
#include "mx/kernels/quantize.h"

namespace mx::kernels {

/// What rotate_quantize is asked for.
///   by  of every by.size consecutive elements of a row
///   to  rows alone; a row is whole rotations and whole blocks, and the larger of both sizes is a
///       multiple of the other
struct rotate_quantize_request {
  rotation by;
  quantize_request to;
};

/// Rotates rows and quantizes them. Equals mx::rotate and then mx::quantize_block.
///   errors  as quantize's, and what the request says
status rotate_quantize(const rotate_quantize_request& request, stream on);

}  // namespace mx::kernels
