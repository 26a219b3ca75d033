// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/operand_kernel.h: lines of operands on vectors, and the operands that each
// kernel quantizes. No function here starts a thread.
#pragma once
#include "mx/tensor/operand.h"
#include "simd/rule_bounds.h"
#include "tensor/block_batch.h"
#include "tensor/operand_line.h"

namespace mx {

/// Whether simd/quantizer-inl.h quantizes an operand: blocks under E8M0 scales with bounds, to
/// nearest, with macro blocks of E2M1 and a fallback of every block.
[[nodiscard]] inline bool is_on_grid(const operand& f) noexcept {
  if (!f.is_coded()) return true;
  const recipe& r = f.recipe;
  const corrections& c = r.corrections;
  const block_format& b = r.format();
  const bool blocks = b.rows == 1 && b.scale == formats::e8m0 &&
                      b.precision == scale_precision::stored && !b.has_tensor_scale();
  const bool elements = b.element.fraction_bits >= 1 && b.element.emin() <= 0 &&
                        b.element.emin() >= -40 && b.element.emax() >= 0 &&
                        b.element.emax() <= 20 &&
                        (c.macro_block == 0 || b.element == formats::e2m1);
  const bool rules = !r.has_preset() && has_rule_bounds(r.rules.rule) &&
                     r.rules.rounding == rounding::ties_to_even;
  const bool corrected = c.rotation.size != 0 || c.gain != pre_gain::one ||
                         c.fallback == fallback_mode::selective ||
                         (c.has_residual() && c.alpha == 0);
  return blocks && elements && rules && !corrected;
}

/// Along rows a block must fill whole vectors.
[[nodiscard]] inline bool are_rows_on_grid(const operand& f) noexcept {
  return is_on_grid(f) && (!f.is_coded() || f.recipe.format().columns % 16 == 0);
}

/// Whether the blocks of an operand are quantized to values by simd/block_quantizer-inl.h: plain
/// recipes whose scale follows from amax, whose values are rounded once by products in FP32.
[[nodiscard]] inline bool has_value_kernel(const operand& f) noexcept {
  if (!f.is_coded() || f.toggle != toggle::none || !f.recipe.is_plain()) return false;
  const quantization& q = f.recipe.rules;
  const block_format& b = q.format;
  const bool elements = b.rows == 1 && b.precision == scale_precision::stored &&
                        b.element.emin() >= -100 && b.element.emax() <= 100;
  const bool tensor =
      !b.has_tensor_scale() || (b.scale.exponent_bits <= 5 && b.element.exponent_bits <= 5);
  const block_way way = block_way_of(q);
  const bool rule = way == block_way::shift
                        ? has_rule_bounds(q.rule)
                        : (way == block_way::reciprocal &&
                           (q.rule == scale_rule::ideal || q.rule == scale_rule::static_four ||
                            q.rule == scale_rule::rceil || q.rule == scale_rule::floor6));
  return elements && tensor && rule;
}

/// Values, or codes, of lines by simd/block_quantizer-inl.h.
///   f  for values has_value_kernel(f), for codes a plain recipe
void fake_quantize_blocks(const operand& f, const operand_rows& m, const operand_values& out);
void fake_quantize_blocks(const operand& f, const operand_columns& m, const operand_values& out);
void quantize_blocks(const operand& f, const operand_rows& m, const operand_codes& out);
void quantize_blocks(const operand& f, const operand_columns& m, const operand_codes& out);

/// Values of rows, or columns, by simd/quantizer-inl.h.
void rows_on_grid(const operand& f, const operand_rows& m, const operand_values& out);
void columns_on_grid(const operand& f, const operand_columns& m, const operand_values& out);

}  // namespace mx
