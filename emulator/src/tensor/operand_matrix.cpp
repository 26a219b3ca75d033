// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/operand_matrix.cpp: whole matrices as operands: their lines where those are
// independent, else mx::quantize_tensor and mx::dequantize_tensor of the recipe.
#include <algorithm>
#include <stdexcept>
#include <vector>

#include "mx/tensor/coded_tensor.h"
#include "mx/tensor/operand.h"
#include "tensor/block_geometry.h"
#include "tensor/operand_line.h"

namespace mx {
namespace {

using bytes = std::vector<std::uint8_t>;

void require_matrix(const operand& f) {
  if (refusal_of(f) != operand_refusal::none) {
    throw std::invalid_argument("mx: operands of this kind are not supported");
  }
}

std::uint64_t elements_of(const operand_matrix& m) {
  return static_cast<std::uint64_t>(m.rows) * static_cast<std::uint64_t>(m.columns);
}

operand_rows rows_of_matrix(const operand_matrix& m) { return {m.rows, m.columns, m.x, m.columns}; }
operand_columns columns_of_matrix(const operand_matrix& m) {
  return {m.rows, m.columns, m.x, m.columns};
}

/// Whether the lines along the axis have the tensor scales of the matrix: rows have one each,
/// columns share one.
bool is_lines(const operand& f, int axis) {
  if (line_refusal_of(f) != operand_refusal::none) return false;
  if (!has_line_scale(f)) return true;
  return f.recipe.format().tensor ==
         (axis == 1 ? tensor_scaling::per_row : tensor_scaling::per_tensor);
}

recipe in_plain_order(recipe r) {
  r.codes = {code_packing::unpacked};
  r.layout = scale_layout::linear;
  return r;
}

/// Arrays of a recipe's codes, one a byte, and scales in linear order.
struct matrix_arrays {
  recipe r;
  coded_shape s;
  bytes codes, scales, fractions, residual_codes, residual_scales, residual_fractions;
  bytes tensor_scales, tensor_amax;

  matrix_arrays(const recipe& of, const operand_matrix& m)
      : r(in_plain_order(of)),
        s(coded_shape_of(
            r, {{static_cast<std::uint64_t>(m.rows), static_cast<std::uint64_t>(m.columns)},
                static_cast<std::size_t>(m.axis)})) {
    codes.resize(s.codes.bytes());
    scales.resize(s.scales.bytes());
    fractions.resize(s.macro_fractions.bytes());
    if (r.corrections.has_residual()) {
      residual_codes = codes;
      residual_scales = scales;
      residual_fractions = fractions;
    }
    tensor_scales.resize(s.tensor_scales.bytes());
    if (r.has_preset()) tensor_amax = tensor_scales;
  }

  void quantize(const float* x) {
    quantize_tensor(r, s, number_type::fp32, x, nullptr,
                    {{codes.data(), scales.data(), fractions.data()},
                     {residual_codes.data(), residual_scales.data(), residual_fractions.data()},
                     tensor_scales.data(),
                     tensor_amax.data()});
  }
  void dequantize(float* x) const {
    dequantize_tensor(r, s,
                      {{codes.data(), scales.data(), fractions.data()},
                       {residual_codes.data(), residual_scales.data(), residual_fractions.data()},
                       tensor_scales.data(),
                       tensor_amax.data()},
                      x);
  }
};

/// Tiles under exact scales, which are not stored: one after another by the core.
void exact_tiles(const quantization& q, const operand_matrix& m, float* out) {
  const block_geometry g(
      q.format, {1, static_cast<std::uint64_t>(m.rows), static_cast<std::uint64_t>(m.columns), 1},
      code_packing::unpacked);
  std::vector<float> tile(g.block_size());
  bytes codes(g.block_size());
  for (std::uint64_t number = 0; number < g.sizes.blocks; ++number) {
    const block_place p = g.place(number);
    std::fill(tile.begin(), tile.end(), 0.0F);
    for (std::uint64_t row = 0; row < p.rows; ++row) {
      std::copy_n(m.x + g.element(p, row), p.columns, tile.data() + row * g.columns());
    }
    const chosen_scale scale =
        quantize_block(q, tile.data(), no_tensor_scale, number, codes.data());
    for (std::uint64_t row = 0; row < p.rows; ++row) {
      for (std::uint64_t k = 0; k < p.columns; ++k) {
        out[g.element(p, row) + k] =
            scale.special ? float_of(nan_bits)
                          : dequantize_element(q.format, codes[row * g.columns() + k], scale.ratio);
      }
    }
  }
}

/// The nearest values along the other axis, then those along the axis.
void exact_twice(operand f, operand_matrix m, float* out) {
  f.recipe.passes = passes::once;
  operand nearest = f;
  nearest.recipe.rules.rounding = rounding::ties_to_even;
  nearest.recipe.corrections = {};
  std::vector<float> once(elements_of(m));
  fake_quantize(nearest, operand_matrix{m.rows, m.columns, 1 - m.axis, m.x},
                {once.data(), m.columns});
  m.x = once.data();
  fake_quantize(f, m, {out, m.columns});
}

/// Dense values of a matrix that is not a set of independent lines.
void whole_values(const operand& f, const operand_matrix& m, float* out) {
  if (f.recipe.format().precision == scale_precision::stored) {
    matrix_arrays arrays(f.recipe, m);
    arrays.quantize(m.x);
    arrays.dequantize(out);
  } else if (f.recipe.passes == passes::twice) {
    exact_twice(f, m, out);
  } else {
    exact_tiles(f.recipe.rules, m, out);
  }
}

/// A dense matrix with rows and columns exchanged.
std::vector<float> transposed_matrix(int rows, int columns, const float* x) {
  std::vector<float> turned(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  transpose(x, columns, rows, columns, turned.data(), rows);
  return turned;
}

bool is_turned(const operand& f, const operand_matrix& m) {
  return f.is_coded() && f.recipe.format().rows > 1 && m.axis == 0;
}

/// Bytes (k, line) of a matrix with `lines` columns, line after line.
void store_by_lines(const bytes& in, std::uint64_t lines, std::uint8_t* out) {
  const std::uint64_t length = lines == 0 ? 0 : in.size() / lines;
  for (std::uint64_t line = 0; line < lines; ++line) {
    for (std::uint64_t k = 0; k < length; ++k) *out++ = in[k * lines + line];
  }
}

/// Scales of rows of blocks, repeated for each of the `lines` rows.
bytes scales_of_lines(const block_format& f, int lines, const bytes& scales) {
  const int rows_of_blocks = (lines + f.rows - 1) / f.rows;
  if (f.rows == 1 || rows_of_blocks == 0) return scales;
  const std::ptrdiff_t blocks = static_cast<std::ptrdiff_t>(scales.size()) / rows_of_blocks;
  bytes repeated;
  for (int line = 0; line < lines; ++line) {
    const auto first = scales.begin() + line / f.rows * blocks;
    repeated.insert(repeated.end(), first, first + blocks);
  }
  return repeated;
}

}  // namespace

void fake_quantize(const operand& f, const operand_matrix& m, const operand_values& out) {
  require_matrix(f);
  if (is_lines(f, m.axis)) {
    return m.axis == 1 ? fake_quantize(f, rows_of_matrix(m), out)
                       : fake_quantize(f, columns_of_matrix(m), out);
  }
  std::vector<float> values(elements_of(m));
  if (is_turned(f, m)) {
    const std::vector<float> turned = transposed_matrix(m.rows, m.columns, m.x);
    whole_values(f, {m.columns, m.rows, 1, turned.data()}, values.data());
    values = transposed_matrix(m.columns, m.rows, values.data());
  } else {
    whole_values(f, m, values.data());
  }
  for (std::ptrdiff_t row = 0; row < m.rows; ++row) {
    std::copy_n(values.data() + row * m.columns, m.columns, out.values + row * out.stride);
  }
}

void quantize(const operand& f, const operand_matrix& m, const operand_codes& out) {
  require_matrix(f);
  require_codes(f);
  if (is_lines(f, m.axis)) {
    return m.axis == 1 ? quantize(f, rows_of_matrix(m), out)
                       : quantize(f, columns_of_matrix(m), out);
  }
  if (is_turned(f, m)) {
    const std::vector<float> turned = transposed_matrix(m.rows, m.columns, m.x);
    return quantize(f, operand_matrix{m.columns, m.rows, 1, turned.data()}, out);
  }
  matrix_arrays arrays(f.recipe, m);
  arrays.quantize(m.x);
  const std::uint64_t lines = m.axis == 1 ? 1 : static_cast<std::uint64_t>(m.columns);
  store_by_lines(arrays.codes, lines, out.codes);
  store_by_lines(scales_of_lines(f.recipe.format(), m.rows, arrays.scales), lines, out.scales);
  if (!arrays.tensor_scales.empty()) {
    std::copy(arrays.tensor_scales.begin(), arrays.tensor_scales.end(),
              reinterpret_cast<std::uint8_t*>(out.tensor_scales));
  }
}

}  // namespace mx
