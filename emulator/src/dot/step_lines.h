// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/step_lines.h: one factor of a product, laid out for the kernels of
// dot/step_kernels.h.
#pragma once
#include <vector>

#include "dot/gemm_lines.h"
#include "dot/step_kernels.h"

namespace mx {

/// Rows of A in strips or columns of B in panels.
class step_lines {
 public:
  using side = gemm_lines::side;

  ///   model  of the rule
  step_lines(side which, const step_kernels& kernels, const step_rule& rule, const dot_model& model,
             const gemm_operand& source, std::int64_t lines, std::int64_t k);

  [[nodiscard]] std::int64_t groups() const { return groups_; }
  [[nodiscard]] int width() const { return width_; }
  /// Lays out a group; groups are independent.
  void fill(std::int64_t group);
  /// A group from an element of k on, which begins a unit.
  [[nodiscard]] step_slice slice(std::int64_t group, std::int64_t k) const;
  /// Whether a line has Inf, NaN, or a scale that is NaN.
  [[nodiscard]] bool is_irregular(std::int64_t line) const {
    return (irregular_[static_cast<std::size_t>(line / width_)] >> line % width_ & 1) != 0;
  }
  /// A bit a line of a group.
  [[nodiscard]] std::uint32_t irregular_lines(std::int64_t group) const {
    return irregular_[static_cast<std::size_t>(group)];
  }

 private:
  void fill_scales(std::int64_t group);

  side side_;
  const step_kernels& kernels_;
  step_rule rule_;
  int block_;
  gemm_operand source_;
  std::int64_t lines_, k_;
  int width_;
  std::int64_t groups_, length_;  ///< of k, in whole chunks
  line_aligned<float> values_;
  line_aligned<std::int32_t> exponents_, scales_;
  std::vector<std::uint32_t> irregular_;
};

}  // namespace mx
