// SPDX-License-Identifier: Apache-2.0
// sim/policy/weight_factor.cpp: see weight_factor.h.
#include "sim/policy/weight_factor.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

#include "sim/policy/row_functions.h"

namespace sim {
namespace {

/// A dense row-major matrix.
struct dense_matrix {
  int rows, columns;
  std::vector<float> x;
};

/// W under a rotation along an axis.
dense_matrix rotated_weight(const mx::rotation& r, const weight_view& w, int axis) {
  dense_matrix m{axis == 0 ? rotated_length(r, w.rows) : w.rows,
                 axis == 1 ? rotated_length(r, w.columns) : w.columns,
                 {}};
  m.x.resize(matrix_size(m.rows, m.columns));
  for (int row = 0; row < w.rows; ++row) {
    std::copy_n(w.w + static_cast<std::ptrdiff_t>(row) * w.columns, w.columns,
                m.x.data() + static_cast<std::ptrdiff_t>(row) * m.columns);
  }
  if (axis == 0) {
    rotate_columns(r, m.rows, m.columns, m.x.data());
  } else {
    rotate_rows(r, m.rows, m.columns, m.x.data());
  }
  return m;
}

/// Values of W in a pass that contracts over an axis.
dense_matrix weight_values(const pass_products& p, const weight_view& w, int axis) {
  const mx::operand f = p.operand(operand_role::other, w.at);
  if (p.format.rotation.size == 0) {
    dense_matrix m{w.rows, w.columns, std::vector<float>(matrix_size(w.rows, w.columns))};
    mx::fake_quantize(f, mx::operand_matrix{w.rows, w.columns, axis, w.w}, {m.x.data(), w.columns});
    return m;
  }
  dense_matrix m = rotated_weight(p.format.rotation, w, axis);
  mx::fake_quantize(f, mx::operand_matrix{m.rows, m.columns, axis, m.x.data()},
                    {m.x.data(), m.columns});
  return m;
}

}  // namespace

weight_factor forward_factor(const pass_products& p, std::span<const weight_view> side_by_side) {
  weight_factor result;
  result.inputs = side_by_side.front().columns;
  int outputs = 0, first = 0;
  for (const weight_view& w : side_by_side) outputs += w.rows;
  result.values = mx::packed_matrix(rotated_length(p.format.rotation, result.inputs), outputs);
  for (const weight_view& w : side_by_side) {
    const dense_matrix m = weight_values(p, w, 1);
    result.values.set_columns_transposed(first, m.rows, m.x.data(), m.columns);
    first += m.rows;
  }
  return result;
}

weight_factor backward_factor(const pass_products& dgrad, const pass_products& forward,
                              const weight_view& w) {
  const bool own = dgrad.format.weights == weight_source::own;
  if (!own && (dgrad.format.rotation.size > 0 || forward.format.rotation.size > 0)) {
    throw std::invalid_argument("dgrad cannot take forward's W where either is rotated");
  }
  const dense_matrix m = own ? weight_values(dgrad, w, 0) : weight_values(forward, w, 1);
  weight_factor result{w.rows, mx::packed_matrix(m.rows, m.columns)};
  result.values.set_columns(0, m.columns, m.x.data(), m.columns);
  return result;
}

namespace {

/// Numbers of the rows' first blocks; empty if the operand draws no random bits.
std::vector<std::uint64_t> first_blocks_of(const mx::operand& f, const product_rows& x,
                                           int length) {
  std::vector<std::uint64_t> result;
  if (!is_drawn(f)) return result;
  const auto blocks = static_cast<std::uint64_t>(blocks_of(f, length));
  for (int row = 0; row < x.rows; ++row) result.push_back(x.tokens[row] * blocks);
  return result;
}

/// Rows x length values, rotated, padded with zeros.
void rotated_copy(const mx::rotation& r, const product_rows& x, int inputs, int length,
                  float* out) {
  for (int row = 0; row < x.rows; ++row) {
    float* line = out + static_cast<std::ptrdiff_t>(row) * length;
    std::copy_n(x.x + row * x.stride, inputs, line);
    std::fill_n(line + inputs, length - inputs, 0.0F);
  }
  rotate_rows(r, x.rows, length, out);
}

}  // namespace

void multiply(const pass_products& p, const product_place& at, const product_rows& x,
              const weight_factor& w, float* out) {
  const mx::operand f = p.operand(operand_role::data, at);
  const mx::rotation& rotation = p.format.rotation;
  if (f.numbers == mx::operand_numbers::fp32 && rotation.size == 0) {
    mx::multiply(x.rows, x.x, x.stride, w.values, out, w.n());
    return;
  }
  const int length = w.values.k();
  const auto buffer = std::make_unique_for_overwrite<float[]>(matrix_size(x.rows, length));
  product_rows from = x;
  if (rotation.size > 0) {
    rotated_copy(rotation, x, w.inputs, length, buffer.get());
    from.x = buffer.get();
    from.stride = length;
  }
  const std::vector<std::uint64_t> blocks = first_blocks_of(f, x, length);
  mx::fake_quantize(f,
                    mx::operand_rows{from.rows, length, from.x, from.stride,
                                     blocks.empty() ? nullptr : blocks.data()},
                    {buffer.get(), length});
  mx::multiply(x.rows, buffer.get(), length, w.values, out, w.n());
}

}  // namespace sim
