// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/operand.cpp: lines of operands on the grid of their elements. Equals
// mx::clear_line, checked by tests/unit/tensor/operand_test.cpp.
// Floor: one pass that reads and writes the matrix.
#include <algorithm>
#include <vector>

#include "mx/tensor/fused_targets.h"
#include "tensor/operand_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/operand.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "simd/quantizer-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {

/// Lines of an operand by the core; random bits play no part.
inline void lines_clearly(const operand& f, int lines, int count, const line_elements& first,
                          std::ptrdiff_t to_next, float* out, std::ptrdiff_t out_step,
                          std::ptrdiff_t out_to_next) {
  clear_line line(f, count);
  for (int k = 0; k < lines; ++k) {
    line.values({first.x + k * to_next, first.step}, {}, out + k * out_to_next, out_step);
  }
}

#if HWY_NATIVE_FMA

/// Quantizes rows in place of a copy with whole blocks.
void padded_rows(const operand& f, const operand_rows& m, int padded, const operand_values& out) {
  const line_quantizer<axis::row> quantize(f);
  std::vector<float> copy(static_cast<std::size_t>(padded));
  for (int row = 0; row < m.rows; ++row) {
    const float* x = m.x + row * m.stride;
    float* y = out.values + row * out.stride;
    std::copy_n(x, m.count, copy.data());
    std::fill(copy.begin() + m.count, copy.end(), 0.0F);
    if (quantize.all(copy.data(), 1, padded, copy.data(), 1)) {
      std::copy_n(copy.data(), m.count, y);
    } else {
      lines_clearly(f, 1, m.count, {x, 1}, 0, y, 1, 0);
    }
  }
}

void rows_of(const operand& f, const operand_rows& m, const operand_values& out) {
  const int block = f.is_coded() ? f.recipe.format().columns : lanes;
  if (m.count % block != 0) {
    return padded_rows(f, m, (m.count + block - 1) / block * block, out);
  }
  const line_quantizer<axis::row> quantize(f);
  for (int row = 0; row < m.rows; ++row) {
    const float* x = m.x + row * m.stride;
    float* y = out.values + row * out.stride;
    if (!quantize.all(x, 1, m.count, y, 1)) lines_clearly(f, 1, m.count, {x, 1}, 0, y, 1, 0);
  }
}

/// Fewer columns than a vector has lanes, through a copy.
void last_columns(const operand& f, const operand_columns& m, int first,
                  const operand_values& out) {
  const int left = m.columns - first;
  std::vector<float> copy(static_cast<std::size_t>(m.count) * lanes);
  for (int i = 0; i < m.count; ++i) {
    std::copy_n(m.x + first + i * m.stride, left, copy.data() + std::ptrdiff_t{i} * lanes);
  }
  const line_quantizer<axis::column> quantize(f);
  if (!quantize.all(copy.data(), lanes, m.count, copy.data(), lanes)) {
    lines_clearly(f, left, m.count, {copy.data(), lanes}, 1, copy.data(), lanes, 1);
  }
  for (int i = 0; i < m.count; ++i) {
    std::copy_n(copy.data() + std::ptrdiff_t{i} * lanes, left, out.values + first + i * out.stride);
  }
}

void columns_of(const operand& f, const operand_columns& m, const operand_values& out) {
  const line_quantizer<axis::column> quantize(f);
  int column = 0;
  for (; column + lanes <= m.columns; column += lanes) {
    const float* x = m.x + column;
    float* y = out.values + column;
    if (!quantize.all(x, m.stride, m.count, y, out.stride)) {
      lines_clearly(f, lanes, m.count, {x, m.stride}, 1, y, out.stride, 1);
    }
  }
  if (column < m.columns) last_columns(f, m, column, out);
}

#else

void rows_of(const operand& f, const operand_rows& m, const operand_values& out) {
  lines_clearly(f, m.rows, m.count, {m.x, 1}, m.stride, out.values, 1, out.stride);
}

void columns_of(const operand& f, const operand_columns& m, const operand_values& out) {
  lines_clearly(f, m.columns, m.count, {m.x, m.stride}, 1, out.values, out.stride, 1);
}

#endif

}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mx {

HWY_EXPORT(rows_of);
HWY_EXPORT(columns_of);

void rows_on_grid(const operand& f, const operand_rows& m, const operand_values& out) {
  HWY_DYNAMIC_DISPATCH(rows_of)(f, m, out);
}

void columns_on_grid(const operand& f, const operand_columns& m, const operand_values& out) {
  HWY_DYNAMIC_DISPATCH(columns_of)(f, m, out);
}

}  // namespace mx
#endif  // HWY_ONCE
