// SPDX-License-Identifier: Apache-2.0
// golden/io/coded_view.h: codes and scales of quantized model files under any naming convention.
// Source: openai/gpt-oss, gpt_oss/torch/weights.py; NVIDIA Model-Optimizer, NVFP4 checkpoints;
// vllm-project/compressed-tensors, compressors/nvfp4/base.py and mxfp4/base.py,
// quantization/lifecycle/forward_helpers.py (the scale is divided by the global one); llama.cpp,
// conversion/base.py (NVFP4: X.scale beside X.weight) and ggml/src/ggml-common.h (blocks).
#pragma once
#include <string>
#include <vector>

#include "golden/io/byte_runs.h"
#include "golden/io/tensor_file.h"

namespace golden::io {

/// Naming convention of the arrays.
///   own                 X.codes, X.scales, X.tensor_scale, of types that say their format; the U8
///                       codes that `mxprism` writes are no views, because metadata say theirs
///   gpt_oss             X_blocks [.., G, 16], X_scales [.., G]; also X.blocks, X.scales
///   compressed_tensors  X.weight_packed, X.weight_scale, X.weight_global_scale
///   modelopt            X.weight, X.weight_scale, X.weight_scale_2
///   gguf                blocks of scales and codes; X.scale beside NVFP4 of X.weight
enum class convention : unsigned char { own, gpt_oss, compressed_tensors, modelopt, gguf };
[[nodiscard]] std::string_view name_of(convention which);

/// How 4-bit codes share bytes along the axis; wider codes are one a byte.
///   low_first, high_first  2i and 2i + 1, the first in the low or high bits
///   split_half             j and j + K/2 of a block of K, the first in the low bits
enum class code_order : unsigned char { low_first, high_first, split_half, one_a_byte };

/// Operation of the tensor scale on the scales.
enum class tensor_scale_use : unsigned char { none, multiplies, divides };

/// One tensor of codes, referenced in place: nothing is copied.
struct coded_view {
  std::string name;  ///< of the values: X, or X.weight
  io::convention convention = io::convention::own;
  std::string format;                ///< as --format spells it: mxfp4, nvfp4, ...
  std::vector<std::uint64_t> shape;  ///< of the values
  std::size_t axis = 0;              ///< along which blocks lie
  std::uint64_t block = 32;          ///< elements that share a scale
  code_order order = code_order::low_first;
  byte_runs codes, scales;  ///< in the order of the blocks
  tensor_scale_use use = tensor_scale_use::none;
  byte_view tensor_scales;  ///< F32: one, or one for every matrix; empty without tensor scale
  std::vector<std::string> arrays;  ///< names of all its arrays in the file
};

/// Every tensor of codes identified by the names and types in a file, in file order. Arrays with
/// such names but other types, such as INT4, are skipped.
///   errors  file_error if an array is missing, or shapes do not match
[[nodiscard]] std::vector<coded_view> coded_views(const tensor_file& file);

}  // namespace golden::io
