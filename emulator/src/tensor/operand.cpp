// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/operand.cpp: columns of operands, a vector of them at a time. Equals
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
#include "simd/span_quantizer-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {

/// Columns by the core; random bits play no part.
inline void columns_by_core(const operand& f, const operand_columns& m, const operand_values& out) {
  clear_line line(f, m.count);
  for (int k = 0; k < m.columns; ++k) {
    line.values({m.x + k, m.stride}, {}, out.values + k, out.stride);
  }
}

#if HWY_NATIVE_FMA

/// As many columns as a vector has lanes.
void full_columns(const span_quantizer& spans, const operand& f, const operand_columns& m,
                  const operand_values& out) {
  if (spans.all(m.x, m.stride, m.count, out.values, out.stride)) return;
  columns_by_core(f, m, out);
}

/// Fewer columns, through a copy.
void few_columns(const span_quantizer& spans, const operand& f, const operand_columns& m,
                 const operand_values& out) {
  std::vector<float> copy(static_cast<std::size_t>(m.count) * lanes);
  for (std::ptrdiff_t i = 0; i < m.count; ++i) {
    std::copy_n(m.x + i * m.stride, m.columns, copy.data() + i * lanes);
  }
  full_columns(spans, f, {m.count, lanes, copy.data(), lanes}, {copy.data(), lanes});
  for (std::ptrdiff_t i = 0; i < m.count; ++i) {
    std::copy_n(copy.data() + i * lanes, m.columns, out.values + i * out.stride);
  }
}

void columns_of(const operand& f, const operand_columns& m, const operand_values& out) {
  const int size = span_of(f, m.count);
  const span_quantizer spans(f, size);
  for (int first = 0; first < m.count; first += size) {
    for (int column = 0; column < m.columns; column += lanes) {
      const operand_columns some{std::min(size, m.count - first),
                                 std::min(lanes, m.columns - column),
                                 m.x + first * m.stride + column, m.stride};
      const operand_values to{out.values + first * out.stride + column, out.stride};
      some.columns == lanes ? full_columns(spans, f, some, to) : few_columns(spans, f, some, to);
    }
  }
}

#else

void columns_of(const operand& f, const operand_columns& m, const operand_values& out) {
  columns_by_core(f, m, out);
}

#endif

}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mx {

HWY_EXPORT(columns_of);

void fake_quantize_spans(const operand& f, const operand_columns& m, const operand_values& out) {
  HWY_DYNAMIC_DISPATCH(columns_of)(f, m, out);
}

}  // namespace mx
#endif  // HWY_ONCE
