// SPDX-License-Identifier: Apache-2.0
// mx/kernels/quantize.h: matrices into codes and scales, and back, on a CUDA device.
// Source: mx/block/block_quantizer.h (the results), mx/tensor/layout.h (the layouts),
// mx/tensor/recipe.h (how a matrix is coded).
#pragma once
#include "mx/kernels/status.h"
#include "mx/tensor/blocks.h"
#include "mx/tensor/recipe.h"

namespace mx::kernels {

/// A row-major matrix in device memory. Its rows are a stride apart, in elements; 0: as many as it
/// has columns, without gaps between them. Gaps are neither read nor written.
struct matrix_shape {
  std::int64_t rows = 0, columns = 0;
};

/// Codes and scales of the lines of a matrix, in device memory; null codes: not computed.
///   codes   line after line; a line is its blocks, 4-bit elements two a byte with the first in the
///           low bits, the last block padded with zero codes
///   scales  a matrix with a line for each line of blocks and a column for each block, in the scale
///           layout; codes of more than 8 bits are little-endian, linear layout only. The padding
///           of a layout is not written.
struct coded_lines {
  void* codes = nullptr;
  void* scales = nullptr;
};

/// Request of quantize.
///   how            a plain recipe, of codes in pairs with the first in the low bits; blocks of one
///                  row and at most 256 elements, or of several rows and at most 16384 elements.
///                  Block numbers, which select the random bits, count line after line; blocks of
///                  columns are numbered as if the matrix were transposed, where a block's rows are
///                  columns of x
///   x              the matrix, of type `input`
///   tensor_scale   in device memory; not read if the format has none
///   rows, columns  the results: lines are rows, or columns
///   x_stride       of x. Kernels that load 16 bytes at once are selected only if the first element
///                  of every row is 16-byte aligned; others equal them bit for bit
struct quantize_request {
  recipe how;
  number_type input = number_type::fp32;
  matrix_shape shape;
  const void* x = nullptr;
  const float* tensor_scale = nullptr;
  coded_lines rows, columns;
  std::int64_t x_stride = 0;
};

/// Bytes of codes and scales of `lines` lines of `length` elements; 0 if a size is negative.
///   line_bytes       of one line of codes; a block of several rows spans several lines
///   lines_of_blocks  equals lines unless blocks have several rows
struct coded_size {
  std::int64_t blocks_a_line = 0, line_bytes = 0, code_bytes = 0, scale_bytes = 0;
  std::int64_t lines_of_blocks = 0;
};
[[nodiscard]] coded_size size_of(const block_format& f, scale_layout layout, std::int64_t lines,
                                 std::int64_t length);

/// Quantizes. Equals mx::quantize_block on every block; a block with NaN or Inf gets the scale NaN
/// and codes 0.
///   errors  null x or no result, pointers not aligned to their element size, overlapping
///           results, negative sizes, a stride other than 0 below the row length or beyond 2^60
///           elements in all, 2^40 elements or more, a recipe with a part without a kernel
///           (recipe_part). The gaps of a matrix with a stride count as part of it.
status quantize(const quantize_request& request, stream on);

/// Request of dequantize: the values of rows, as type `output`.
///   how  as quantize's; the rule and the rounding are not read
///   out  FP32 as mx::dequantize_element returns it; FP16 and BF16 are that value rounded once
///        more, ties to even; without padding, rows out_stride apart
struct dequantize_request {
  recipe how;
  matrix_shape shape;
  const void* codes = nullptr;
  const void* scales = nullptr;
  const float* tensor_scale = nullptr;
  number_type output = number_type::fp32;
  void* out = nullptr;
  std::int64_t out_stride = 0;
};

/// Dequantizes; errors as quantize's.
status dequantize(const dequantize_request& request, stream on);

/// Request of fake_quantize: rows quantized, then dequantized.
///   how  as quantize's; the code order and the layout are not read
///   out  of the type of x; may be x itself, with the same stride
struct fake_quantize_request {
  recipe how;
  number_type type = number_type::fp32;
  matrix_shape shape;
  const void* x = nullptr;
  const float* tensor_scale = nullptr;
  void* out = nullptr;
  std::int64_t x_stride = 0, out_stride = 0;
};

/// Quantizes and dequantizes in one pass; errors as quantize's.
status fake_quantize(const fake_quantize_request& request, stream on);

}  // namespace mx::kernels
