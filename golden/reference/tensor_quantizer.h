// SPDX-License-Identifier: Apache-2.0
// golden/reference/tensor_quantizer.h: whole tensors: blocks along the last axis or as tiles of the
// last two, and the scale above them.
// Source: NVFP4 as TransformerEngine and torchao have it (tensor and row scales, tiles of 16 x 16);
// four-over-six, arXiv 2512.02010 (the bound 256).
#pragma once
#include "golden/reference/block_quantizer.h"

namespace golden {

/// The last two axes, and how many matrices of them there are. Row-major.
struct tensor_shape {
  std::size_t matrices = 1, rows = 1, columns = 0;
  [[nodiscard]] std::size_t size() const { return matrices * rows * columns; }
};

/// Blocks that reach over an edge are filled up with zeros, which count as elements.
struct block_shape {
  std::size_t rows = 1, columns = 32;
};

enum class tensor_scaling : unsigned char { none, tensor, row };

struct tensor_quantization {
  quantization of_blocks;
  block_shape block;
  tensor_scaling scaling = tensor_scaling::none;  ///< row: blocks of one row alone
  rational bound = 448;  ///< block scales that the tensor scale aims at, at most
};

struct quantized_tensor {
  tensor_shape shape;
  block_shape block;
  std::vector<std::uint32_t> tensor_scales;  ///< FP32 patterns: one for each block
  std::vector<quantized_block> blocks;       ///< row-major in (matrix, block row, block column)
};

/// RNE32(amax / (max * bound)), amax over the finite elements; 1 where that is zero.
[[nodiscard]] float tensor_scale(const std::vector<float>& x, const number_format& element,
                                 const rational& bound);

/// Stochastic rounding counts the elements of all blocks, filled-up ones too, in their order.
[[nodiscard]] quantized_tensor quantize_tensor(const std::vector<float>& x, tensor_shape shape,
                                               const tensor_quantization& q);

/// Codes, and FP32 numbers, in the order of the tensor.
[[nodiscard]] std::vector<std::uint32_t> codes_of(const quantized_tensor& tensor);
[[nodiscard]] std::vector<float> dequantize_tensor(const quantized_tensor& tensor,
                                                   const number_format& element);

}  // namespace golden
