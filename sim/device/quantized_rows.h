// SPDX-License-Identifier: Apache-2.0
// sim/device/quantized_rows.h: which operands of a run a device quantizes itself, row by row; the
// CPU quantizes the others before they are copied there.
#pragma once
#include "mx/tensor/operand.h"

namespace sim {

/// Blocks along a row, rounded without random bits, under no tensor scale: their rows, of any
/// tokens, need nothing that the kernels' requests lack. Toggles, corrections and presets have no
/// kernel.
[[nodiscard]] constexpr bool is_quantized_on_device(const mx::operand& f) noexcept {
  const mx::block_format& format = f.recipe.format();
  const bool whole_pairs = format.element.width() != 4 || format.columns % 2 == 0;
  return f.is_coded() && f.toggle == mx::toggle::none && f.recipe.is_plain() &&
         f.recipe.rules.rounding != mx::rounding::stochastic && format.rows == 1 &&
         format.columns <= 256 && whole_pairs && format.element.width() <= 8 &&
         format.precision == mx::scale_precision::stored && format.scale.width() <= 8 &&
         !format.has_tensor_scale();
}

}  // namespace sim
