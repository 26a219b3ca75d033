// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/operand_blocks.cpp: lines of operands through the kernels of blocks and
// spans, a batch at a time. Equals mx::clear_line, checked by tests/unit/tensor/operand_test.cpp
// and tests/unit/tensor/operand_whole_test.cpp.
#include "tensor/operand_pieces.h"

namespace mx {
namespace {

/// Whether all of some numbers are zeros, of either sign.
bool are_zeros(const float* x, std::ptrdiff_t count) {
  constexpr std::ptrdiff_t at_once = 64;
  for (; count >= at_once; x += at_once, count -= at_once) {
    std::uint32_t any = 0;
    for (std::ptrdiff_t i = 0; i < at_once; ++i) any |= bits_of(x[i]);
    if (any << 1 != 0) return false;
  }
  return std::all_of(x, x + count, [](float number) { return bits_of(number) << 1 == 0; });
}

/// Copies a matrix of zeros, which are their own values if elements have both zeros; returns false,
/// without effect, for another one. The gradients of sequences without an advantage are zeros.
bool copy_zeros(const operand& f, const operand_rows& m, const operand_values& out) {
  const recipe& r = f.recipe;
  if (!r.format().element.has_negative_zero() || r.corrections.has_residual()) return false;
  for (std::ptrdiff_t row = 0; row < m.rows; ++row) {
    if (!are_zeros(m.x + row * m.stride, m.count)) return false;
  }
  for (std::ptrdiff_t row = 0; row < m.rows && m.x != out.values; ++row) {
    std::copy_n(m.x + row * m.stride, m.count, out.values + row * out.stride);
  }
  return true;
}

/// Values of a batch of spans as columns.
void fake_quantize_turned(const operand& f, operand_space& space, const block_batch& batch) {
  const std::ptrdiff_t spans = batch.count, size = space.size();
  float* turned = space.turned();
  transpose(batch.x, space.stride(), spans, size, turned, spans);
  fake_quantize_spans(f, {static_cast<int>(size), batch.count, turned, spans}, {turned, spans});
  transpose(turned, spans, size, spans, batch.values, space.stride());
}

template <class Pieces, class Out>
void values_in_blocks(const operand& f, Pieces&& pieces, const Out& out) {
  pieces.each(nullptr, [&](const operand_piece& p, const block_batch& batch) {
    if (has_value_kernel(f)) {
      fake_quantize_batch(f.recipe.rules, batch);
    } else {
      fake_quantize_turned(f, pieces.space(), batch);
    }
    pieces.scatter(p, out);
  });
}

template <class Pieces>
void codes_in_blocks(const operand& f, Pieces&& pieces, const operand_codes& out) {
  pieces.each(out.tensor_scales, [&](const operand_piece& p, block_batch batch) {
    batch.codes = pieces.space().codes_of(p, out);
    quantize_batch(f.recipe.rules, batch);
    pieces.space().scatter(p, out);
  });
}

}  // namespace

void fake_quantize_blocks(const operand& f, const operand_rows& m, const operand_values& out) {
  if (!copy_zeros(f, m, out)) values_in_blocks(f, row_pieces(f, m, out), out);
}
void fake_quantize_blocks(const operand& f, const operand_columns& m, const operand_values& out) {
  const operand_rows as_rows{m.count, m.columns, m.x, m.stride};
  if (copy_zeros(f, as_rows, out)) return;
  if (has_span_kernel(f)) return fake_quantize_spans(f, m, out);
  values_in_blocks(f, column_pieces(f, m), out);
}
void quantize_blocks(const operand& f, const operand_rows& m, const operand_codes& out) {
  codes_in_blocks(f, row_pieces(f, m), out);
}
void quantize_blocks(const operand& f, const operand_columns& m, const operand_codes& out) {
  codes_in_blocks(f, column_pieces(f, m), out);
}

}  // namespace mx
