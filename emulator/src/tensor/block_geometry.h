// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/block_geometry.h: positions of the elements, codes and scale of a numbered
// block.
#pragma once
#include <algorithm>
#include <stdexcept>

#include "tensor/block_batch.h"

namespace mx {

/// A block's position among the others, and its extent inside the tensor.
struct block_place {
  std::uint64_t outer, row_block, along, inner;
  std::uint64_t rows, columns;  ///< inside the tensor: at most the format's
};

/// Refuses tensors of which a format's blocks are no parts.
///   errors  std::invalid_argument
inline void expect_blocks(const block_format& f, const blocked_shape& shape) {
  if (f.rows == 1) return;
  if (shape.inner != 1) throw std::invalid_argument("mx: tiles of blocks need the last two axes");
  if (f.tensor == tensor_scaling::per_row) {
    throw std::invalid_argument("mx: a tile has no row of its own");
  }
}

struct block_geometry {
  block_format format;
  blocked_shape shape;
  blocked_sizes sizes;
  bool halved;  ///< two codes share a byte

  block_geometry(const block_format& f, const blocked_shape& s, code_packing packing)
      : format(f),
        shape(s),
        sizes(sizes_of(f, s, packing)),
        halved(packing == code_packing::packed && f.element.width() == 4) {}

  [[nodiscard]] std::uint64_t rows() const { return static_cast<std::uint64_t>(format.rows); }
  [[nodiscard]] std::uint64_t columns() const { return static_cast<std::uint64_t>(format.columns); }
  [[nodiscard]] std::uint64_t bytes_as_fp32() const { return shape.elements() * sizeof(float); }
  /// Distance in elements between consecutive gathered blocks.
  [[nodiscard]] std::uint64_t stride() const {
    return (block_size() + batch_alignment - 1) / batch_alignment * batch_alignment;
  }
  [[nodiscard]] std::uint64_t block_size() const { return rows() * columns(); }

  [[nodiscard]] block_place place(std::uint64_t number) const {
    block_place p{};
    const std::uint64_t row_blocks = (shape.rows + rows() - 1) / rows();
    p.inner = number % shape.inner;
    const std::uint64_t rest = number / shape.inner;
    p.along = rest % sizes.blocks_along;
    p.row_block = rest / sizes.blocks_along % row_blocks;
    p.outer = rest / sizes.blocks_along / row_blocks;
    p.rows = std::min(rows(), shape.rows - p.row_block * rows());
    p.columns = std::min(columns(), shape.length - p.along * columns());
    return p;
  }
  /// Index in the tensor of the element at a block's `row` and column 0.
  [[nodiscard]] std::uint64_t element(const block_place& p, std::uint64_t row) const {
    const std::uint64_t line = p.outer * shape.rows + p.row_block * rows() + row;
    return (line * shape.length + p.along * columns()) * shape.inner + p.inner;
  }
  /// Index of the byte of code `position` along the padded axis, in the line of a block's row.
  [[nodiscard]] std::uint64_t code_byte(const block_place& p, std::uint64_t row,
                                        std::uint64_t position) const {
    const std::uint64_t line = p.outer * shape.rows + p.row_block * rows() + row;
    const std::uint64_t byte = halved ? position / 2 : position;
    return (line * sizes.code_bytes_along + byte) * shape.inner + p.inner;
  }
  /// The tensor scale of a block.
  [[nodiscard]] float tensor_scale(const block_place& p, const float* scales) const {
    switch (format.tensor) {
      case tensor_scaling::none:
        break;
      case tensor_scaling::per_tensor:
        return scales[0];
      case tensor_scaling::per_row:
        return scales[(p.outer * shape.rows + p.row_block) * shape.inner + p.inner];
    }
    return 1;
  }
  /// Whether blocks are whole and contiguous, including their codes and scales.
  [[nodiscard]] bool is_flat() const {
    const bool whole_bytes = !halved || sizes.code_bytes_along * 2 == shape.length;
    return format.rows == 1 && shape.inner == 1 && shape.length % columns() == 0 && whole_bytes;
  }
};

}  // namespace mx
