// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/operand_kernel.h: operands that simd/quantizer-inl.h quantizes.
#pragma once
#include <optional>

#include "mx/block/operand.h"
#include "mx/tensor/operand.h"
#include "simd/rule_bounds.h"

namespace mx {

/// A plain or toggled MXFP4 operand to nearest under a rule with bounds, with macro blocks and a
/// fallback of every block.
[[nodiscard]] inline std::optional<operand_format> kernel_format_of(const operand& f) {
  if (f.numbers == operand_numbers::fp32) return operand_format{};
  if (f.numbers == operand_numbers::bf16) return operand_format{number::bf16};
  const recipe& r = f.recipe;
  const corrections& c = r.corrections;
  const bool plain = !r.has_preset() && r.passes == passes::once &&
                     r.format() == block_formats::mxfp4 && has_rule_bounds(r.rules.rule) &&
                     r.rules.rounding == rounding::ties_to_even;
  const bool corrected = c.rotation.size != 0 || c.gain != pre_gain::one ||
                         c.fallback == fallback_mode::selective ||
                         (c.has_residual() && c.alpha == 0);
  if (!plain || corrected) return {};
  return operand_format{number::microscaled,
                        r.rules.rule,
                        f.toggle,
                        f.parts,
                        c.macro_block,
                        c.macro_bits,
                        c.has_residual() ? c.alpha : 0.0F};
}

}  // namespace mx
