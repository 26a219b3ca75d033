// SPDX-License-Identifier: Apache-2.0
// emulator/src/presets/block_walk.h: positions of the elements, codes and scales of blocks, codes
// one a byte.
#pragma once
#include <algorithm>

#include "mx/tensor/blocks.h"

namespace mx {

/// Positions of the blocks of a shape: block b is number b of the scales.
struct block_walk {
  blocked_shape shape;
  std::uint64_t rows, columns, row_blocks, along, padded;

  block_walk(const block_format& f, const blocked_shape& s)
      : shape(s),
        rows(static_cast<std::uint64_t>(f.rows)),
        columns(static_cast<std::uint64_t>(f.columns)),
        row_blocks((s.rows + rows - 1) / rows),
        along((s.length + columns - 1) / columns),
        padded(along * columns) {}

  [[nodiscard]] std::uint64_t blocks() const {
    return shape.outer * row_blocks * along * shape.inner;
  }
  /// Calls work(k, line, a, i) for the elements of a block that have codes: k in the block, a along
  /// the axis, i after it, line before it.
  template <class Work>
  void visit(std::uint64_t block, const Work& work) const {
    visit_rows(block, [&](std::uint64_t r, std::uint64_t line, std::uint64_t a, std::uint64_t i) {
      for (std::uint64_t c = 0; c < columns; ++c) work(r * columns + c, line, a + c, i);
    });
  }
  /// Calls work(r, line, a, i) for the rows r of a block, from position a on along the axis.
  template <class Work>
  void visit_rows(std::uint64_t block, const Work& work) const {
    const std::uint64_t i = block % shape.inner, b = block / shape.inner % along;
    const std::uint64_t tile_row = block / shape.inner / along;
    const std::uint64_t o = tile_row / row_blocks, first = tile_row % row_blocks * rows;
    for (std::uint64_t r = 0; r < rows && first + r < shape.rows; ++r) {
      work(r, o * shape.rows + first + r, b * columns, i);
    }
  }
  /// Whether blocks are contiguous rows, one after the other, without padding.
  [[nodiscard]] bool lie_together() const {
    return rows == 1 && shape.inner == 1 && shape.length % columns == 0;
  }
  /// Elements of a block to `out`, zeros where the tensor ends.
  void gather(std::uint64_t block, const float* x, float* out) const {
    std::fill_n(out, rows * columns, 0.0F);
    visit_rows(block, [&](std::uint64_t r, std::uint64_t line, std::uint64_t a, std::uint64_t i) {
      const float* from = x + value_at(line, a, i);
      const std::uint64_t count = std::min(columns, shape.length - a);
      float* to = out + r * columns;
      if (shape.inner == 1) {
        std::copy_n(from, count, to);
      } else {
        for (std::uint64_t c = 0; c < count; ++c) to[c] = from[c * shape.inner];
      }
    });
  }
  void scatter(std::uint64_t block, const std::uint8_t* made, std::uint8_t* codes) const {
    visit_rows(block, [&](std::uint64_t r, std::uint64_t line, std::uint64_t a, std::uint64_t i) {
      std::uint8_t* to = codes + code_at(line, a, i);
      for (std::uint64_t c = 0; c < columns; ++c) to[c * shape.inner] = made[r * columns + c];
    });
  }
  [[nodiscard]] std::uint64_t value_at(std::uint64_t line, std::uint64_t a, std::uint64_t i) const {
    return (line * shape.length + a) * shape.inner + i;
  }
  [[nodiscard]] std::uint64_t code_at(std::uint64_t line, std::uint64_t a, std::uint64_t i) const {
    return (line * padded + a) * shape.inner + i;
  }
  [[nodiscard]] std::uint64_t row_scales() const { return shape.outer * shape.rows * shape.inner; }
  /// Number of the row scale of block b.
  [[nodiscard]] std::uint64_t row_of(std::uint64_t block) const {
    return block / shape.inner / along * shape.inner + block % shape.inner;
  }
};

}  // namespace mx
