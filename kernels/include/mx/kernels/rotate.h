// SPDX-License-Identifier: Apache-2.0
// mx/kernels/rotate.h: matrices rotated and quantized in one pass on a CUDA device.
// Source: mx/block/rotation.h and mx/block/block_quantizer.h (the results).
#pragma once
#include "mx/kernels/quantize.h"

namespace mx::kernels {

/// Request of rotate_quantize.
///   to  rows only; to.how may have the correction `rotation`, which is applied to every
///       rotation.size consecutive elements of a row; a row is whole rotations and whole blocks,
///       and the larger of the two sizes is a multiple of the other
struct rotate_quantize_request {
  quantize_request to;

  [[nodiscard]] const rotation& by() const noexcept { return to.how.corrections.rotation; }
};

/// Rotates rows and quantizes them. Equals mx::rotate followed by mx::quantize_block.
///   errors  as quantize's, and a request that breaks the rules above
status rotate_quantize(const rotate_quantize_request& request, stream on);

}  // namespace mx::kernels
