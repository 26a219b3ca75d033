// SPDX-License-Identifier: Apache-2.0
// golden/io/widen.h: the numbers of a tensor as FP32.
#pragma once
#include <vector>

#include "golden/io/tensor.h"

namespace golden::io {

/// Handling of numbers that FP32 may not represent exactly.
enum class narrowing : unsigned char { refuse, round_to_nearest_even };

/// F32, F16 and BF16 exactly, bit for bit; F64 only if rounding is requested, once a number; the
/// integers of GGUF's blocks as integer_block.h says.
/// NaN, Inf, signed zeros and subnormals are preserved; a NaN keeps the bits that fit.
///   errors  file_error that names the tensor and its type
[[nodiscard]] std::vector<float> to_float32(const tensor& numbers,
                                            narrowing mode = narrowing::refuse);

}  // namespace golden::io
