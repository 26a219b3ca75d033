// SPDX-License-Identifier: Apache-2.0
// sim/policy/operand_lines.h: operands as the codes that a model multiplies.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "mx/dot/bulk_gemm.h"
#include "mx/tensor/operand.h"
#include "sim/study/study.h"

namespace sim {

/// The plan of a pass' products under its model, for the formats of its operands.
///   errors  throws std::invalid_argument if the model does not accept them
[[nodiscard]] mx::gemm_plan plan_of(const pass_format& f);

/// Leaves elements that are made without a value unset: the quantizer writes all of them.
template <class T>
struct unset_allocator : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = unset_allocator<U>;
  };
  template <class U>
  void construct(U* at) noexcept {
    ::new (static_cast<void*>(at)) U;
  }
  template <class U, class From>
  void construct(U* at, From&& from) {
    ::new (static_cast<void*>(at)) U(std::forward<From>(from));
  }
};
template <class T>
using unset_vector = std::vector<T, unset_allocator<T>>;

/// Lines of codes along k, padded to whole blocks.
///   line           bytes of a line: one a code, two of bfloat16
///   scales         of line after line; empty for bfloat16
///   tensor_scales  of each line; empty if the format has none
struct operand_lines {
  int k = 0, count = 0, line = 0;
  mx::code_storage storage = mx::code_storage::bytes;
  unset_vector<std::uint8_t> codes{};
  std::vector<std::uint8_t> scales{};
  std::vector<float> tensor_scales{};

  /// Appends lines of the same format and k.
  void append(operand_lines more);
  [[nodiscard]] mx::gemm_operand operand() const noexcept;
};

/// Rows; a weight's lines along its axis; columns, under one tensor scale.
///   errors  throws std::invalid_argument for operands that have no codes
[[nodiscard]] operand_lines coded_rows(const mx::operand& f, const mx::operand_rows& m);
[[nodiscard]] operand_lines coded_weight(const mx::operand& f, const mx::operand_matrix& m);
[[nodiscard]] operand_lines coded_columns(const mx::operand& f, const mx::operand_columns& m);

}  // namespace sim
