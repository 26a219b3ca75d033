// SPDX-License-Identifier: Apache-2.0
// golden/io/own_convention.h: converts foreign names of codes to those of `mxprism quantize`.
#pragma once
#include <string>
#include <vector>

#include "golden/io/coded_view.h"

namespace golden::io {

struct rewritten_file {
  tensor_file file;
  std::vector<std::string> left_out;  ///< names of tensors without codes
};

/// X.codes and X.scales in U8, X.tensor_scale in F32 for NVFP4, and the metadata that describe
/// them, for every X of coded_views. Arrays are referenced in place; only fields of blocks are
/// copied. A dividing tensor scale becomes the FP32 number nearest to its reciprocal, as in vLLM;
/// NVFP4 without a tensor scale gets 1. A file with the project's own codes in U8, or without
/// codes, is returned unchanged.
///   errors  as for coded_views; several formats or orders in one file; one tensor scale a matrix;
///           a divisor that is not finite and positive
[[nodiscard]] rewritten_file in_own_convention(const tensor_file& file);

}  // namespace golden::io
