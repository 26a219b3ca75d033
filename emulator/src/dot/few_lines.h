// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/few_lines.h: one factor of a block-scaled product of E2M1 of at most 32 elements
// in k, laid out for the kernels that take no more.
#pragma once
#include <cstdint>
#include <vector>

#include "dot/gemm_lines.h"

namespace mx {

/// Elements of k that the kernels add and carry in registers.
inline constexpr std::int64_t few_elements = 32;

/// Rows of A or columns of B in groups of `width`.
class few_lines {
 public:
  using side = gemm_lines::side;

  few_lines(side which, const gemm_kernels& kernels, const gemm_scale_table& scales,
            const gemm_operand& source, std::int64_t lines, std::int64_t k);

  /// A group without bounds of its scales.
  [[nodiscard]] gemm_slice slice(std::int64_t group) const {
    const auto at = static_cast<std::size_t>(group * group_units_);
    return {codes_.at(at * unit_),
            scales_.at(at),
            is_left_ ? starts_.at(at) : nullptr,
            nullptr,
            nullptr,
            0,
            {}};
  }
  /// Whether a group has a line with a scale that the kernels do not support.
  [[nodiscard]] bool is_regular_group(std::int64_t group) const {
    return notes_[static_cast<std::size_t>(group)].irregular == 0;
  }
  [[nodiscard]] bool is_irregular(std::int64_t line) const {
    return (notes_[static_cast<std::size_t>(line / width_)].irregular >> line % width_ & 1) != 0;
  }
  /// Largest difference between the exponents of a line's scales in a group; blocks of zeros are
  /// excluded.
  [[nodiscard]] int apart(std::int64_t group) const {
    return notes_[static_cast<std::size_t>(group)].apart;
  }

 private:
  bool is_left_;
  std::int64_t width_, group_units_;
  std::size_t unit_;
  std::vector<few_note> notes_;
  line_aligned<std::uint8_t> codes_;
  line_aligned<float> scales_, starts_;
};

}  // namespace mx
