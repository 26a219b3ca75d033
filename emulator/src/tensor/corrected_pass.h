// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/corrected_pass.h: one pass over a line with corrections, on vectors.
#pragma once
#include "mx/block/corrected_quantizer.h"

namespace mx {

/// The arguments of mx::quantize_pass.
struct line_pass {
  const quantization& q;
  const corrections& c;
  const float* x;
  const line_place& place;
  const coded_line& out;
  float* values;
};

/// Equals mx::quantize_pass: on vectors if they have a kernel for it, else by that.
void quantize_corrected_pass(const line_pass& p);

}  // namespace mx
