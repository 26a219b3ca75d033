// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/operand.cpp: operand formats on whole matrices. Equals mx::apply on every row
// or column, checked by tests/unit/tensor/bulk_operand_test.cpp.
// Floor: one pass that reads and writes the matrix.
#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

#include "mx/tensor/bulk.h"
#include "mx/tensor/fused_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/operand.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "simd/quantizer-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {

/// The scalar path for one vector whose elements lie `step` apart.
inline void apply_clearly(const operand_format& f, int count, const float* in, std::ptrdiff_t step,
                          float* out, std::ptrdiff_t out_step) {
  std::vector<float> x(static_cast<std::size_t>(count) * 3);
  for (int i = 0; i < count; ++i) x[static_cast<std::size_t>(i)] = in[i * step];
  apply(f, x.data(), count, x.data(), x.data() + count);
  for (int i = 0; i < count; ++i) out[i * out_step] = x[static_cast<std::size_t>(i)];
}

inline void rows_clearly(const operand_format& f, int rows, int count, const float* in,
                         std::ptrdiff_t in_stride, float* out, std::ptrdiff_t out_stride) {
  for (int row = 0; row < rows; ++row) {
    apply_clearly(f, count, in + row * in_stride, 1, out + row * out_stride, 1);
  }
}

inline void columns_clearly(const operand_format& f, int count, int columns, const float* in,
                            std::ptrdiff_t in_stride, float* out, std::ptrdiff_t out_stride) {
  for (int column = 0; column < columns; ++column) {
    apply_clearly(f, count, in + column, in_stride, out + column, out_stride);
  }
}

#if HWY_NATIVE_FMA

void rows_of(const operand_format& f, int rows, int count, const float* in,
             std::ptrdiff_t in_stride, float* out, std::ptrdiff_t out_stride) {
  if (count % mxfp4::size != 0) {
    return rows_clearly(f, rows, count, in, in_stride, out, out_stride);
  }
  const quantizer<axis::row> quantize(f);
  for (int row = 0; row < rows; ++row) {
    const float* x = in + row * in_stride;
    float* y = out + row * out_stride;
    if (!quantize.all(x, 1, count, y, 1)) apply_clearly(f, count, x, 1, y, 1);
  }
}

void columns_of(const operand_format& f, int count, int columns, const float* in,
                std::ptrdiff_t in_stride, float* out, std::ptrdiff_t out_stride) {
  const quantizer<axis::column> quantize(f);
  int column = 0;
  for (; column + lanes <= columns; column += lanes) {
    const float* x = in + column;
    float* y = out + column;
    if (!quantize.all(x, in_stride, count, y, out_stride)) {
      columns_clearly(f, count, lanes, x, in_stride, y, out_stride);
    }
  }
  columns_clearly(f, count, columns - column, in + column, in_stride, out + column, out_stride);
}

#else

void rows_of(const operand_format& f, int rows, int count, const float* in,
             std::ptrdiff_t in_stride, float* out, std::ptrdiff_t out_stride) {
  rows_clearly(f, rows, count, in, in_stride, out, out_stride);
}

void columns_of(const operand_format& f, int count, int columns, const float* in,
                std::ptrdiff_t in_stride, float* out, std::ptrdiff_t out_stride) {
  columns_clearly(f, count, columns, in, in_stride, out, out_stride);
}

#endif

}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mx {

HWY_EXPORT(rows_of);
HWY_EXPORT(columns_of);

namespace {

void require_applicable(const operand_format& f) {
  if (!is_applicable(f)) throw std::invalid_argument("mx: operands have no such scale rule");
}

}  // namespace

void apply_rows(const operand_format& f, int rows, int count, const float* in,
                std::ptrdiff_t in_stride, float* out, std::ptrdiff_t out_stride) {
  require_applicable(f);
  HWY_DYNAMIC_DISPATCH(rows_of)(f, rows, count, in, in_stride, out, out_stride);
}

void apply_columns(const operand_format& f, int count, int columns, const float* in,
                   std::ptrdiff_t in_stride, float* out, std::ptrdiff_t out_stride) {
  require_applicable(f);
  HWY_DYNAMIC_DISPATCH(columns_of)(f, count, columns, in, in_stride, out, out_stride);
}

}  // namespace mx
#endif  // HWY_ONCE
