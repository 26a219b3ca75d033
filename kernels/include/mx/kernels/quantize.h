// SPDX-License-Identifier: Apache-2.0
// mx/kernels/quantize.h: matrices into codes and scales, and back, on a CUDA device.
// Source: of what the bits are, mx/block/block_quantizer.h; of the layouts, mx/tensor/layout.h.
#pragma once
#include "mx/block/block_quantizer.h"
#include "mx/kernels/status.h"
#include "mx/tensor/blocks.h"
#include "mx/tensor/layout.h"

namespace mx::kernels {

/// A row-major matrix in the device's memory; rows lie behind each other without gaps.
struct matrix_shape {
  std::int64_t rows = 0, columns = 0;
};

/// Codes and scales of the lines of a matrix, in the device's memory; null codes: not wanted.
///   codes   line after line; a line is its blocks, elements of 4 bits two a byte, the first in the
///           low bits, the last block filled with codes of zero
///   scales  a matrix with a line for each line of blocks and a column for each block, in the scale
///           layout; codes of more than 8 bits little-endian, in the linear layout alone. The
///           padding of a layout is not written.
struct coded_lines {
  void* codes = nullptr;
  void* scales = nullptr;
};

/// What quantize is asked for.
///   how            as mx::quantize_block takes it; blocks of one row and at most 256 elements, or
///                  of several rows and at most 16384 elements. Numbers of blocks, from which
///                  random bits follow, count line after line: those of columns as if the matrix
///                  were transposed, where a block's rows are columns of x
///   x              the matrix, of `input`
///   tensor_scale   of the device's memory too; not looked at where the format has none
///   rows, columns  the results: lines are rows, or columns
struct quantize_request {
  quantization how;
  number_type input = number_type::fp32;
  matrix_shape shape;
  const void* x = nullptr;
  const float* tensor_scale = nullptr;
  scale_layout layout = scale_layout::linear;
  coded_lines rows, columns;
};

/// Bytes of codes and scales of `lines` lines of `length` elements; 0 where a size is negative.
///   line_bytes       of one line of codes: a block of several rows is in several of them
///   lines_of_blocks  lines, but where blocks have several rows
struct coded_size {
  std::int64_t blocks_a_line = 0, line_bytes = 0, code_bytes = 0, scale_bytes = 0;
  std::int64_t lines_of_blocks = 0;
};
[[nodiscard]] coded_size size_of(const block_format& f, scale_layout layout, std::int64_t lines,
                                 std::int64_t length);

/// Quantizes. Equals mx::quantize_block on every block; a block with NaN or Inf gets the scale NaN
/// and codes 0.
///   errors  null x or no result, pointers that are no multiples of their elements' size, results
///           that overlap, negative sizes, 2^40 elements and more, what refusal_of(how) refuses,
///           tensor scales of rows, exact scales
status quantize(const quantize_request& request, stream on);

/// What dequantize is asked for: the values of rows, as `output`.
///   out  FP32 as mx::dequantize_element has it; FP16 and BF16 are that, rounded once more, ties to
///        even; without padding
struct dequantize_request {
  block_format format;
  matrix_shape shape;
  const void* codes = nullptr;
  const void* scales = nullptr;
  const float* tensor_scale = nullptr;
  scale_layout layout = scale_layout::linear;
  number_type output = number_type::fp32;
  void* out = nullptr;
};

/// Dequantizes; errors as quantize's.
status dequantize(const dequantize_request& request, stream on);

/// What fake_quantize is asked for: what dequantize makes of what quantize makes of rows.
///   out  of the type of x; may be x
struct fake_quantize_request {
  quantization how;
  number_type type = number_type::fp32;
  matrix_shape shape;
  const void* x = nullptr;
  const float* tensor_scale = nullptr;
  void* out = nullptr;
};

/// Quantizes and dequantizes in one pass; errors as quantize's.
status fake_quantize(const fake_quantize_request& request, stream on);

}  // namespace mx::kernels
