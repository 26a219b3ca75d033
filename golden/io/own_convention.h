// SPDX-License-Identifier: Apache-2.0
// golden/io/own_convention.h: codes by other names as `mxprism quantize` writes them.
#pragma once
#include <string>
#include <vector>

#include "golden/io/coded_view.h"

namespace golden::io {

struct rewritten_file {
  tensor_file file;
  std::vector<std::string> left_out;  ///< tensors that are no codes, by name
};

/// X.codes and X.scales in U8, X.tensor_scale in F32 for NVFP4, and the metadata that tell them, for
/// every X of coded_views. Arrays are shown where they lie; only fields of blocks are copied.
/// A number that divides becomes the FP32 number nearest to its reciprocal, as vLLM loads it; NVFP4
/// without one has 1. A file whose codes are the project's own in U8, or without codes, stays as it
/// is.
///   errors  as of coded_views; several formats or orders in one file; one tensor scale a matrix; a
///           divisor that is not finite and positive
[[nodiscard]] rewritten_file in_own_convention(const tensor_file& file);

}  // namespace golden::io
