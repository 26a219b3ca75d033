// SPDX-License-Identifier: Apache-2.0
// mx/tensor/operand.h: an operand of a quantized product: its format, and its values after
// quantization and back (fake quantization), vectorized. No function here starts a thread: lines
// are independent, so callers may distribute them.
// Open choices: those of mx/tensor/recipe.h; tensor scales of activations, D-046.
#pragma once
#include <cstddef>
#include <cstdint>

#include "mx/block/components.h"
#include "mx/tensor/recipe.h"

namespace mx {

/// Numbers of an operand.
///   fp32, bf16  without blocks      coded  codes and scales of a recipe
enum class operand_numbers : std::uint8_t { fp32, bf16, coded };

/// Everything applied to an operand along the contraction axis before it is multiplied.
///   recipe  of coded numbers; how codes are stored has no effect
///   toggle  meaning of parts that are switched on: of MXFP4 rounded to nearest, without
///           corrections
struct operand {
  operand_numbers numbers = operand_numbers::fp32;
  mx::recipe recipe = {};
  mx::toggle toggle = mx::toggle::none;
  component parts = component::all;

  [[nodiscard]] constexpr bool is_coded() const noexcept {
    return numbers == operand_numbers::coded;
  }
  friend constexpr bool operator==(const operand&, const operand&) = default;
};

/// Why an operand is invalid.
enum class operand_refusal : std::uint8_t {
  none,
  recipe,   ///< refusal_of(recipe) gives the reason
  preset,   ///< the preset does not quantize, or does not decode
  toggled,  ///< parts can be switched on in MXFP4 alone, nearest, uncorrected, without a preset
  whole     ///< tiles and two passes need the whole matrix: for weights
};

/// Returns operand_refusal::none if the operand's matrix can be quantized as a whole.
[[nodiscard]] operand_refusal refusal_of(const operand& f) noexcept;

/// Returns operand_refusal::none if its lines can be quantized by themselves.
[[nodiscard]] operand_refusal line_refusal_of(const operand& f) noexcept;

/// Whether the values of an operand's rows are computed on vectors; otherwise by the core. So are
/// single blocks and lines with unusual numbers.
[[nodiscard]] bool is_vectorized(const operand& f) noexcept;

/// Rows of a row-major matrix, as lines quantized along the row, each under a tensor scale of its
/// own if the format has tensor scales.
///   stride        elements from one row to the next
///   first_blocks  of each row: number of its first block within the operand's tensor, for random
///                 bits; null: row * blocks a row
struct operand_rows {
  int rows, count;
  const float* x;
  std::ptrdiff_t stride;
  const std::uint64_t* first_blocks = nullptr;
};

/// Columns of a row-major matrix, as lines quantized along the column, all under one tensor scale,
/// whether the format has one for each row or not.
///   first_block  number of the first column's first block: blocks are numbered along the rows of
///                the matrix of blocks
struct operand_columns {
  int count, columns;
  const float* x;
  std::ptrdiff_t stride;
  std::uint64_t first_block = 0;
};

/// A dense matrix as a whole, a weight, quantized along its axis 0 or 1, under one tensor scale or
/// one a line as the format specifies; tiles and two passes too.
///   first block  number 0
///   tiles        along axis 0 they are those of the transposed matrix
struct operand_matrix {
  int rows, columns;
  int axis;
  const float* x;
};

/// Values in the places of the elements; may be the operand's own.
struct operand_values {
  float* values;
  std::ptrdiff_t stride;
};

/// Codes, one a byte, of line after line, each padded to whole blocks; scales of line after line,
/// those of a tile in each of its lines.
///   tensor_scales  one a line, or a single one (columns, matrix); ignored if the format has none
struct operand_codes {
  std::uint8_t *codes, *scales;
  float* tensor_scales;
};

/// Quantizes and dequantizes. Equals the values of mx::quantize_line on every line; of the preset;
/// or mx::inject and mx::operate of every element.
///   errors  throws std::invalid_argument if line_refusal_of(f), for a matrix refusal_of(f), is not
///           none
void fake_quantize(const operand& f, const operand_rows& m, const operand_values& out);
void fake_quantize(const operand& f, const operand_columns& m, const operand_values& out);
void fake_quantize(const operand& f, const operand_matrix& m, const operand_values& out);

/// Quantizes to the codes of a plain recipe or a preset with scales of one byte.
///   errors  as fake_quantize; and for other operands
void quantize(const operand& f, const operand_rows& m, const operand_codes& out);
void quantize(const operand& f, const operand_columns& m, const operand_codes& out);
void quantize(const operand& f, const operand_matrix& m, const operand_codes& out);

}  // namespace mx
