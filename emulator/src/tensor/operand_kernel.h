// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/operand_kernel.h: lines of operands on vectors, and the operands that each
// kernel quantizes. No function here starts a thread.
#pragma once
#include <algorithm>

#include "mx/tensor/operand.h"
#include "simd/rule_bounds.h"
#include "tensor/block_batch.h"
#include "tensor/operand_line.h"

namespace mx {

/// Whether the scales of a quantization's blocks follow from amax on vectors.
[[nodiscard]] inline bool has_scales_of_amax(const quantization& q) noexcept {
  if (block_way_of(q) == block_way::shift) return has_rule_bounds(q.rule);
  return block_way_of(q) == block_way::reciprocal && is_divided_rule(q.rule);
}

/// Whether they follow from the errors of the elements.
[[nodiscard]] inline bool has_searched_scales(const quantization& q) noexcept {
  return block_way_of(q) != block_way::core && is_searched_rule(q.rule);
}

/// Whether the blocks of an operand are quantized to values by simd/block_quantizer-inl.h: plain
/// recipes whose scale is chosen on vectors, whose values are rounded once by products in FP32.
[[nodiscard]] inline bool has_value_kernel(const operand& f) noexcept {
  if (!f.is_coded() || f.toggle != toggle::none || !f.recipe.is_plain()) return false;
  const quantization& q = f.recipe.rules;
  const block_format& b = q.format;
  const bool elements = b.rows == 1 && b.precision == scale_precision::stored &&
                        b.element.emin() >= -100 && b.element.emax() <= 100;
  const bool tensor =
      !b.has_tensor_scale() || (b.scale.exponent_bits <= 5 && b.element.exponent_bits <= 5);
  return elements && tensor && (has_scales_of_amax(q) || has_searched_scales(q));
}

/// Whether simd/span_quantizer-inl.h quantizes an operand: the value kernel's under powers of two,
/// to nearest, with parts switched off, macro blocks of E2M1, and a fallback of every block.
[[nodiscard]] inline bool has_span_kernel(const operand& f) noexcept {
  if (!f.is_coded()) return false;
  const quantization& q = f.recipe.rules;
  const corrections& c = f.recipe.corrections;
  operand plain = f;
  plain.toggle = toggle::none;
  plain.recipe.corrections = {};
  const bool nearest = block_way_of(q) == block_way::shift && q.rounding == rounding::ties_to_even;
  const bool corrected = c.rotation.size != 0 || c.gain != pre_gain::one ||
                         c.fallback == fallback_mode::selective ||
                         (c.has_residual() && c.alpha == 0) ||
                         (c.macro_block > 0 && q.format.element != formats::e2m1);
  return nearest && !corrected && has_scales_of_amax(q) && has_value_kernel(plain);
}

/// Elements of a line that are quantized independently of all others: a macro block, or a block.
///   count  of the line: a macro block is not longer than its blocks
[[nodiscard]] inline int span_of(const operand& f, int count) noexcept {
  const int columns = f.recipe.format().columns, most = (count + columns - 1) / columns * columns;
  return std::clamp(f.recipe.corrections.macro_block, columns, std::max(columns, most));
}

/// Values of columns by simd/span_quantizer-inl.h.
void fake_quantize_spans(const operand& f, const operand_columns& m, const operand_values& out);

/// Values, or codes, of lines, a batch of blocks at a time.
///   f  for values has_value_kernel(f) or has_span_kernel(f), for codes a plain recipe
void fake_quantize_blocks(const operand& f, const operand_rows& m, const operand_values& out);
void fake_quantize_blocks(const operand& f, const operand_columns& m, const operand_values& out);
void quantize_blocks(const operand& f, const operand_rows& m, const operand_codes& out);
void quantize_blocks(const operand& f, const operand_columns& m, const operand_codes& out);

}  // namespace mx
