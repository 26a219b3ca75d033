// SPDX-License-Identifier: Apache-2.0
// kernels/verify/blocked_matrix.h: the lines of a case's matrix in blocks of one or several lines.
#pragma once
#include "core_values.h"
#include "parallel_lines.h"

namespace mx::kernels {

/// Rows in blocks along them, or columns.
///   line_stride, stride  elements between lines, and between neighbours of a line
class blocked_matrix {
 public:
  blocked_matrix(const kernel_case& one, const case_input& input, const matrix_shape& lines,
                 std::size_t line_stride, std::size_t stride)
      : one_(one),
        input_(input),
        lines_(static_cast<std::size_t>(lines.rows)),
        length_(static_cast<std::size_t>(lines.columns)),
        line_stride_(line_stride),
        stride_(stride),
        size_(size_of(one.how.format, one.layout, lines.rows, lines.columns)) {}

  [[nodiscard]] std::size_t lines() const { return lines_; }
  [[nodiscard]] std::size_t blocks() const {
    return static_cast<std::size_t>(size_.lines_of_blocks) * along();
  }
  [[nodiscard]] bool is_inside(std::size_t line, std::size_t place) const {
    return line < lines_ && place < length_;
  }
  /// Index of an element in the matrix; of the byte of its code; of a block's scale.
  [[nodiscard]] std::size_t index_of(std::size_t line, std::size_t place) const {
    return line * line_stride_ + place * stride_;
  }
  [[nodiscard]] std::size_t byte_of(std::size_t line, std::size_t place) const {
    return line * static_cast<std::size_t>(size_.line_bytes) + (is_halved() ? place / 2 : place);
  }
  [[nodiscard]] std::size_t scale_at(std::size_t block) const {
    const auto lines = static_cast<std::uint64_t>(size_.lines_of_blocks);
    return offset(one_.layout, lines, along(), block / along(), block % along());
  }
  /// Whether two codes share a byte.
  [[nodiscard]] bool is_halved() const { return one_.how.format.element.width() == 4; }

  /// Calls work(block) for all blocks, from several threads; those of a line from one.
  template <class Work>
  void for_each_block(const Work& work) const {
    for_each_line(static_cast<std::size_t>(size_.lines_of_blocks), [&](std::size_t line) {
      for (std::size_t block = line * along(); block < (line + 1) * along(); ++block) work(block);
    });
  }
  /// Calls work(i, line, place) for element i of a block, also beyond the end of the matrix.
  template <class Work>
  void visit(std::size_t block, const Work& work) const {
    const auto columns = static_cast<std::size_t>(one_.how.format.columns);
    const std::size_t line = block / along() * static_cast<std::size_t>(one_.how.format.rows);
    const std::size_t place = block % along() * columns;
    for (std::size_t i = 0; i < static_cast<std::size_t>(one_.how.format.size()); ++i) {
      work(i, line + i / columns, place + i % columns);
    }
  }
  /// The values of a block, zeros beyond the end of the matrix.
  [[nodiscard]] std::vector<float> values_of(std::size_t block) const {
    std::vector<float> x(static_cast<std::size_t>(one_.how.format.size()), 0.0F);
    visit(block, [&](std::size_t i, std::size_t line, std::size_t place) {
      if (is_inside(line, place)) x[i] = value_at(input_.x, one_.type, index_of(line, place));
    });
    return x;
  }

 private:
  [[nodiscard]] std::size_t along() const { return static_cast<std::size_t>(size_.blocks_a_line); }

  const kernel_case& one_;
  const case_input& input_;
  std::size_t lines_, length_, line_stride_, stride_;
  coded_size size_;
};

}  // namespace mx::kernels
