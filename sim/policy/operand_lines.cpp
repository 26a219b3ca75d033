// SPDX-License-Identifier: Apache-2.0
// sim/policy/operand_lines.cpp: see operand_lines.h.
#include "sim/policy/operand_lines.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "mx/spelling.h"

namespace sim {

bool multiplies_values(const pass_format& f) noexcept {
  return f.model == mx::model_named("fp32.fma");
}

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

/// Gives all lines the tensor scale of the first.
void share_tensor_scale(operand_lines& lines) {
  std::ranges::fill(lines.tensor_scales,
                    lines.tensor_scales.empty() ? 1.0F : lines.tensor_scales[0]);
}

/// Codes of bfloat16 of elements x(line, i).
template <class At>
void put_halves(operand_lines& lines, const At& x) {
  std::uint8_t* out = lines.codes.data();
  for (int line = 0; line < lines.count; ++line) {
    for (int i = 0; i < lines.k; ++i, out += 2) {
      const auto code = static_cast<std::uint16_t>(mx::bits_of(x(line, i)) >> 16);
      std::memcpy(out, &code, 2);
    }
  }
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
  operand_lines lines = lines_of(f, m.rows, m.count);
  if (f.is_coded()) {
    mx::quantize(f, m, codes_in(lines));
    return lines;
  }
  std::vector<float> values(static_cast<std::size_t>(m.rows) * static_cast<std::size_t>(m.count));
  mx::fake_quantize(f, m, {values.data(), m.count});
  put_halves(lines, [&](std::ptrdiff_t row, int i) { return values.data()[row * m.count + i]; });
  return lines;
}

operand_lines coded_weight(const mx::operand& f, const mx::operand_matrix& m) {
  operand_lines lines =
      lines_of(f, m.axis == 1 ? m.rows : m.columns, m.axis == 1 ? m.columns : m.rows);
  if (f.is_coded()) {
    mx::quantize(f, m, codes_in(lines));
    const bool single = f.recipe.format().tensor == mx::tensor_scaling::per_tensor;
    if (single) share_tensor_scale(lines);
    return lines;
  }
  std::vector<float> values(static_cast<std::size_t>(m.rows) * static_cast<std::size_t>(m.columns));
  mx::fake_quantize(f, m, {values.data(), m.columns});
  put_halves(lines, [&](std::ptrdiff_t line, std::ptrdiff_t i) {
    return values.data()[m.axis == 1 ? line * m.columns + i : i * m.columns + line];
  });
  return lines;
}

operand_lines coded_columns(const mx::operand& f, const mx::operand_columns& m) {
  operand_lines lines = lines_of(f, m.columns, m.count);
  if (f.is_coded()) {
    mx::quantize(f, m, codes_in(lines));
    share_tensor_scale(lines);
    return lines;
  }
  std::vector<float> values(static_cast<std::size_t>(m.count) *
                            static_cast<std::size_t>(m.columns));
  mx::fake_quantize(f, m, {values.data(), m.columns});
  put_halves(lines, [&](std::ptrdiff_t line, std::ptrdiff_t i) {
    return values.data()[i * m.columns + line];
  });
  return lines;
}

}  // namespace sim
