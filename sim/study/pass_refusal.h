// SPDX-License-Identifier: Apache-2.0
// sim/study/pass_refusal.h: whether a pass can compute its products, and why not.
#pragma once
#include <string>
#include <string_view>

#include "sim/study/study.h"

namespace sim {

/// Why a pass cannot compute its products. From `fp32_operand` on: under its model.
enum class pass_refusal : std::uint8_t {
  none,
  whole,             ///< X and dY are quantized token by token, in wgrad sequence by sequence
  forward_pass,      ///< dgrad takes the W of forward, wgrad its X, and no other pass
  forward_model,     ///< which are values: the pass' and forward's model is `fp32.fma`
  forward_rotation,  ///< and not rotated: a rotation is along the contraction of one pass
  rotation,          ///< does not divide a contraction
  fp32_operand,      ///< FP32 is multiplied under `fp32.fma` alone
  model_numbers,     ///< the model takes numbers that no operand has
  unscaled,          ///< the model takes BF16 without scales
  scaled,            ///< the model takes blocks
  off_grid,          ///< the operand is more than codes and scales
  exact_scale,       ///< a scale without a code
  wide_scale,        ///< scales of more than one byte
  row_scale,         ///< one tensor scale for each line
  other_format,      ///< not the model's elements, scales or blocks
  unequal_blocks     ///< both operands have the same blocks and scales
};

/// A refusal, and the operand at fault.
struct pass_fault {
  pass_refusal why = pass_refusal::none;
  operand_role role = operand_role::data;
  friend bool operator==(const pass_fault&, const pass_fault&) = default;
};

/// The first fault of a pass of an arm, each of whose operands is valid (mx::refusal_of).
[[nodiscard]] pass_fault fault_of(const arithmetic& a, pass p, const policy_shape& shape);

/// The same as a sentence with the remedy.
[[nodiscard]] std::string sentence_of(const arithmetic& a, pass p, const policy_shape& shape,
                                      const pass_fault& fault);

/// Key of a pass' table that a fault belongs to: `data`, `other`, `rotate`, `model`.
[[nodiscard]] std::string_view key_of(const pass_fault& fault);

/// "X", "W", "dY"
[[nodiscard]] std::string_view name_of(pass p, operand_role role);

}  // namespace sim
