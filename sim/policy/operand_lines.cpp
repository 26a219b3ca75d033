// SPDX-License-Identifier: Apache-2.0
// sim/policy/operand_lines.cpp: see operand_lines.h.
#include "sim/policy/operand_lines.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "mx/spelling.h"
#include "sim/policy/row_functions.h"

namespace sim {
namespace {

mx::format element_of(const mx::operand& f) {
  if (f.numbers == mx::operand_numbers::fp32) {
    throw std::invalid_argument("FP32 is multiplied under fp32.fma alone");
  }
  return f.is_coded() ? f.recipe.format().element : mx::formats::bfloat16;
}

/// Lines without codes yet.
operand_lines lines_of(const mx::operand& f, int count, int k) {
  operand_lines result{k, count};
  const auto lines = static_cast<std::size_t>(count);
  if (f.is_coded()) {
    const int block = f.recipe.format().columns, blocks = (k + block - 1) / block;
    result.line = blocks * block;
    result.scales.resize(lines * static_cast<std::size_t>(blocks));
    if (f.recipe.format().has_tensor_scale()) result.tensor_scales.resize(lines);
  } else {
    result.line = 2 * k;
    result.storage = mx::code_storage::halves;
  }
  result.codes.resize(lines * static_cast<std::size_t>(result.line));
  return result;
}

mx::operand_codes codes_in(operand_lines& lines) {
  return {lines.codes.data(), lines.scales.data(), lines.tensor_scales.data()};
}

struct line_strides {
  std::ptrdiff_t line, element;
};

/// Gives all lines the tensor scale of the first.
void share_tensor_scale(operand_lines& lines) {
  std::ranges::fill(lines.tensor_scales,
                    lines.tensor_scales.empty() ? 1.0F : lines.tensor_scales[0]);
}

/// The codes of a matrix; numbers of bfloat16 are rounded in its shape, rows x columns, first.
///   strides  of its lines, and of the elements of a line
template <class Matrix>
operand_lines coded(const mx::operand& f, const Matrix& m, operand_lines lines, int rows,
                    int columns, line_strides strides) {
  if (f.is_coded()) {
    mx::quantize(f, m, codes_in(lines));
    return lines;
  }
  std::vector<float> values(matrix_size(rows, columns));
  mx::fake_quantize(f, m, {values.data(), columns});
  std::uint8_t* out = lines.codes.data();
  for (int line = 0; line < lines.count; ++line) {
    for (int i = 0; i < lines.k; ++i, out += 2) {
      const float x = values.data()[line * strides.line + i * strides.element];
      const auto code = static_cast<std::uint16_t>(mx::bits_of(x) >> 16);
      std::memcpy(out, &code, 2);
    }
  }
  return lines;
}

}  // namespace

mx::gemm_plan plan_of(const pass_format& f) {
  mx::product_formats formats{element_of(f.data), element_of(f.other), {}, 0};
  if (f.data.is_coded()) {
    formats.scale = f.data.recipe.format().scale;
    formats.block = f.data.recipe.format().columns;
  }
  return {mx::model_for(*f.model, formats)};
}

void operand_lines::append(operand_lines more) {
  if (count == 0) {
    *this = std::move(more);
    return;
  }
  count += more.count;
  codes.insert(codes.end(), more.codes.begin(), more.codes.end());
  scales.insert(scales.end(), more.scales.begin(), more.scales.end());
  tensor_scales.insert(tensor_scales.end(), more.tensor_scales.begin(), more.tensor_scales.end());
}

mx::gemm_operand operand_lines::operand() const noexcept {
  return {codes.data(), storage, line, scales.empty() ? nullptr : scales.data()};
}

operand_lines coded_rows(const mx::operand& f, const mx::operand_rows& m) {
  return coded(f, m, lines_of(f, m.rows, m.count), m.rows, m.count, {m.count, 1});
}

operand_lines coded_weight(const mx::operand& f, const mx::operand_matrix& m) {
  const bool rows = m.axis == 1;
  operand_lines lines =
      coded(f, m, rows ? lines_of(f, m.rows, m.columns) : lines_of(f, m.columns, m.rows), m.rows,
            m.columns, rows ? line_strides{m.columns, 1} : line_strides{1, m.columns});
  if (f.recipe.format().tensor == mx::tensor_scaling::per_tensor) share_tensor_scale(lines);
  return lines;
}

operand_lines coded_columns(const mx::operand& f, const mx::operand_columns& m) {
  operand_lines lines =
      coded(f, m, lines_of(f, m.columns, m.count), m.count, m.columns, {1, m.columns});
  share_tensor_scale(lines);
  return lines;
}

}  // namespace sim
