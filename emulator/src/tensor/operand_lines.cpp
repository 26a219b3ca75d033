// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/operand_lines.cpp: rows and columns of operands, by a kernel where there is
// one, else by the core. Equals mx::clear_line on every line, checked by
// tests/unit/tensor/operand_test.cpp.
#include <algorithm>
#include <stdexcept>

#include "tensor/operand_kernel.h"
#include "tensor/operand_line.h"

namespace mx {
namespace {

void require_lines(const operand& f) {
  if (line_refusal_of(f) != operand_refusal::none) {
    throw std::invalid_argument("mx: the lines of this operand cannot be quantized by themselves");
  }
}

bool has_kernel(const operand& f) { return has_value_kernel(f) || has_span_kernel(f); }

/// Numbers without blocks.
void store_plainly(const operand& f, const operand_rows& m, const operand_values& out) {
  for (int row = 0; row < m.rows; ++row) {
    const float* x = m.x + row * m.stride;
    float* y = out.values + row * out.stride;
    if (f.numbers == operand_numbers::bf16) {
      round_to_bfloat16(x, static_cast<std::uint64_t>(m.count), y);
    } else if (x != y) {
      std::copy_n(x, m.count, y);
    }
  }
}

line_elements row_of(const operand_rows& m, int row, std::ptrdiff_t blocks) {
  const std::uint64_t first =
      m.first_blocks != nullptr ? m.first_blocks[row] : static_cast<std::uint64_t>(row * blocks);
  return {m.x + row * m.stride, 1, {first, 1}};
}

line_elements column_of(const operand_columns& m, int column) {
  const auto columns = static_cast<std::uint64_t>(m.columns);
  const std::uint64_t first = m.first_block + static_cast<std::uint64_t>(column);
  return {m.x + column, m.stride, {first, columns}};
}

variant_tensor_scale scale_of_row(const operand& f, const line_elements& row, clear_line& line) {
  if (!has_line_scale(f)) return {};
  line.see(row);
  return line.seen_scale();
}

variant_tensor_scale scale_of_columns(const operand& f, const operand_columns& m,
                                      clear_line& line) {
  if (!has_line_scale(f)) return {};
  for (int column = 0; column < m.columns; ++column) line.see(column_of(m, column));
  return line.seen_scale();
}

}  // namespace

bool is_vectorized(const operand& f) noexcept {
  return line_refusal_of(f) == operand_refusal::none && (!f.is_coded() || has_kernel(f));
}

void fake_quantize(const operand& f, const operand_rows& m, const operand_values& out) {
  require_lines(f);
  if (!f.is_coded()) return store_plainly(f, m, out);
  if (has_kernel(f)) return fake_quantize_blocks(f, m, out);
  clear_line line(f, m.count);
  for (int row = 0; row < m.rows; ++row) {
    const line_elements elements = row_of(m, row, line.blocks());
    const variant_tensor_scale scale = scale_of_row(f, elements, line);
    line.values(elements, scale, out.values + row * out.stride, 1);
  }
}

void fake_quantize(const operand& f, const operand_columns& m, const operand_values& out) {
  require_lines(f);
  if (!f.is_coded()) return store_plainly(f, {m.count, m.columns, m.x, m.stride}, out);
  if (has_kernel(f)) return fake_quantize_blocks(f, m, out);
  clear_line line(f, m.count);
  const variant_tensor_scale scale = scale_of_columns(f, m, line);
  for (int column = 0; column < m.columns; ++column) {
    line.values(column_of(m, column), scale, out.values + column, out.stride);
  }
}

void quantize(const operand& f, const operand_rows& m, const operand_codes& out) {
  require_lines(f);
  require_codes(f);
  if (!f.recipe.has_preset()) return quantize_blocks(f, m, out);
  clear_line line(f, m.count);
  for (int row = 0; row < m.rows; ++row) {
    const line_elements elements = row_of(m, row, line.blocks());
    const variant_tensor_scale scale = scale_of_row(f, elements, line);
    if (has_line_scale(f)) out.tensor_scales[row] = scale.scale;
    line.codes(elements, scale, out.codes + row * line.padded(), out.scales + row * line.blocks());
  }
}

void quantize(const operand& f, const operand_columns& m, const operand_codes& out) {
  require_lines(f);
  require_codes(f);
  if (!f.recipe.has_preset()) return quantize_blocks(f, m, out);
  clear_line line(f, m.count);
  const variant_tensor_scale scale = scale_of_columns(f, m, line);
  if (has_line_scale(f)) out.tensor_scales[0] = scale.scale;
  for (int column = 0; column < m.columns; ++column) {
    line.codes(column_of(m, column), scale, out.codes + column * line.padded(),
               out.scales + column * line.blocks());
  }
}

}  // namespace mx
