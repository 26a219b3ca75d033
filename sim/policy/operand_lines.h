// SPDX-License-Identifier: Apache-2.0
// sim/policy/operand_lines.h: operands as the codes that a model multiplies.
#pragma once
#include <vector>

#include "mx/dot/bulk_gemm.h"
#include "mx/tensor/operand.h"
#include "sim/study/study.h"

namespace sim {

/// Whether a pass multiplies the FP32 values of its operands: `fp32.fma`.
[[nodiscard]] bool multiplies_values(const pass_format& f) noexcept;

/// The plan of a pass' products under its model, for the formats of its operands.
///   errors  throws std::invalid_argument if the model does not accept them
[[nodiscard]] mx::gemm_plan plan_of(const pass_format& f);

/// Lines of codes along k, padded to whole blocks.
///   line           bytes of a line: one a code, two of bfloat16
///   scales         of line after line; empty for bfloat16
///   tensor_scales  of each line; empty if the format has none
struct operand_lines {
  int k = 0, count = 0, line = 0;
  mx::code_storage storage = mx::code_storage::bytes;
  std::vector<std::uint8_t> codes{}, scales{};
  std::vector<float> tensor_scales{};

  /// Appends lines of the same format and k.
  void append(const operand_lines& more);
  [[nodiscard]] mx::gemm_operand operand() const noexcept;
};

/// Rows; a weight's lines along its axis; columns, under one tensor scale.
///   errors  throws std::invalid_argument for operands that have no codes
[[nodiscard]] operand_lines coded_rows(const mx::operand& f, const mx::operand_rows& m);
[[nodiscard]] operand_lines coded_weight(const mx::operand& f, const mx::operand_matrix& m);
[[nodiscard]] operand_lines coded_columns(const mx::operand& f, const mx::operand_columns& m);

}  // namespace sim
