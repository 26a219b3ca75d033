// SPDX-License-Identifier: Apache-2.0
// sim/policy/weight_factor.cpp: see weight_factor.h.
#include "sim/policy/weight_factor.h"

#include <memory>

#include "sim/policy/operand_lines.h"
#include "sim/policy/row_functions.h"

namespace sim {
namespace {

/// W rotated along an axis; in `buffer` unless unchanged.
const float* rotated_weight(const mx::rotation& r, const weight_view& w, int axis,
                            std::vector<float>& buffer) {
  if (r.size == 0) return w.w;
  buffer.resize(matrix_size(w.rows, w.columns));
  (axis == 0 ? rotate_columns : rotate_rows)(r, w.rows, w.columns, w.w, w.columns, buffer.data());
  return buffer.data();
}

/// Values of W, quantized along an axis.
std::vector<float> weight_values(const pass_products& p, const weight_view& w, int axis) {
  std::vector<float> values(matrix_size(w.rows, w.columns)), rotated;
  const float* from = rotated_weight(p.format_at(w.at).rotation, w, axis, rotated);
  mx::fake_quantize(p.operand(operand_role::other, w.at),
                    mx::operand_matrix{w.rows, w.columns, axis, from}, {values.data(), w.columns});
  return values;
}

/// Codes of W's lines along the axis that the pass contracts over.
operand_lines weight_codes(const pass_products& p, const weight_view& w, int axis) {
  std::vector<float> rotated;
  const float* from = rotated_weight(p.format_at(w.at).rotation, w, axis, rotated);
  return coded_weight(p.operand(operand_role::other, w.at), {w.rows, w.columns, axis, from});
}

/// W under a model: lines of codes, one after the other.
weight_factor factor_of_codes(const value_products& by, const pass_format& f,
                              const operand_lines& lines) {
  return {lines.k, lines.count, nullptr, by.of_codes().factor(plan_of(f), lines)};
}

}  // namespace

weight_factor forward_factor(const pass_products& p, std::span<const weight_view> side_by_side) {
  const pass_format f = p.format_at(side_by_side.front().at);
  if (!f.multiplies_values()) {
    operand_lines lines;
    for (const weight_view& w : side_by_side) lines.append(weight_codes(p, w, 1));
    return factor_of_codes(*p.by, f, lines);
  }
  weight_factor result;
  result.k = side_by_side.front().columns;
  std::vector<std::vector<float>> values;
  std::vector<factor_columns> columns;
  for (const weight_view& w : side_by_side) {
    values.push_back(weight_values(p, w, 1));
    columns.push_back({values.back().data(), w.rows, factor_columns::form::transposed});
    result.n += w.rows;
  }
  result.values = p.by->factor(result.k, columns);
  return result;
}

weight_factor backward_factor(const pass_products& dgrad, const weight_view& w) {
  const pass_format f = dgrad.format_at(w.at);
  if (!f.multiplies_values()) return factor_of_codes(*dgrad.by, f, weight_codes(dgrad, w, 0));
  const std::vector<float> values =
      weight_values(dgrad, w, f.source == operand_source::own ? 0 : 1);
  const factor_columns columns{values.data(), w.columns, factor_columns::form::as_is};
  return {w.rows, w.columns, dgrad.by->factor(w.rows, {&columns, 1}), nullptr};
}

void multiply(const pass_products& p, const product_place& at, const product_rows& x,
              const weight_factor& w, float* out) {
  const mx::operand f = p.operand(operand_role::data, at);
  const pass_format here = p.format_at(at);
  const mx::rotation& rotation = here.rotation;
  const bool values = here.multiplies_values();
  if (values && f.numbers == mx::operand_numbers::fp32 && rotation.size == 0) {
    w.values->multiply(x.rows, x.x, x.stride, out);
    return;
  }
  const auto buffer = std::make_unique_for_overwrite<float[]>(matrix_size(x.rows, w.k));
  const std::vector<std::uint64_t> blocks = first_blocks_of(f, x.rows, x.tokens, w.k);
  mx::operand_rows rows{x.rows, w.k, x.x, x.stride, blocks.empty() ? nullptr : blocks.data()};
  if (rotation.size > 0) {
    rotate_rows(rotation, x.rows, w.k, x.x, x.stride, buffer.get());
    rows.x = buffer.get();
    rows.stride = w.k;
  }
  if (values) {
    w.values->multiply_quantized(f, rows, buffer.get(), out);
  } else {
    w.codes->multiply_quantized(f, rows, out);
  }
}

}  // namespace sim
