// SPDX-License-Identifier: Apache-2.0
// kernels/src/quantize/block_tiles.h: blocks of any format, under any rule and rounding, along the
// columns of a matrix, or along rows and columns in one pass over it, by the core's own functions:
// a block of threads loads a tile, and its threads quantize the tile's row and column blocks one by
// one. Equals mx::quantize_block of the matrix and of its transpose
// (tests/kernels/verify/backends_test.cpp).
//
// Shared memory: the tile as binary32 numbers, row r from number r * (side + 1) on, so that neither
// the first elements of adjacent rows nor those of adjacent columns share a bank. Tiles of blocks
// of more than 128 elements do not fit: their columns are read again, from the cache.
#pragma once
#include "quantize/blocks.h"
#include "quantize/tiled_matrix.h"

namespace mx::kernels {

/// Rows and columns of a tile: whole blocks, 64 elements or slightly less, or one block.
[[nodiscard]] MX_HD constexpr int tile_side_of(int block_size) noexcept {
  return block_size >= 64 ? block_size : 64 / block_size * block_size;
}

/// Bytes of shared memory; 0 if the tile does not fit.
inline constexpr int largest_kept_side = 128;
[[nodiscard]] MX_HD constexpr int tile_bytes_of(int block_size) noexcept {
  const int side = tile_side_of(block_size);
  return side > largest_kept_side ? 0 : side * (side + 1) * static_cast<int>(sizeof(float));
}
inline constexpr int largest_tile_bytes = tile_bytes_of(largest_kept_side);

/// Arguments for rows and columns of one matrix.
///   of_rows  its codes are null if rows are not requested
struct block_tiles_arguments {
  blocks_arguments of_rows, of_columns;
};

template <class Thread>
class block_tile {
 public:
  MX_HD block_tile(const Thread& self, const block_tiles_arguments& to) noexcept
      : self_(self),
        to_(to),
        side_(static_cast<std::uint64_t>(tile_side_of(to.of_rows.how.format.size()))),
        pitch_(tile_bytes_of(to.of_rows.how.format.size()) == 0 ? 0 : side_ + 1) {
    const int side = tile_side_of(to.of_rows.how.format.size());
    const tile_corner corner = corner_of_tile(self.block(), to.of_columns.from.lines, side, side);
    first_row_ = corner.row, first_column_ = corner.column;
  }

  /// Adjacent threads load adjacent elements of a row.
  MX_HD void load() const noexcept {
    auto* tile = self_.template shared<float>();
    for (std::uint64_t i = own(); pitch_ != 0 && i < side_ * side_; i += block_threads) {
      const std::uint64_t row = first_row_ + i / side_, column = first_column_ + i % side_;
      const matrix_lines& from = to_.of_rows.from;
      const bool is_inside = row < from.lines && column < from.length;
      tile[i / side_ * pitch_ + i % side_] = is_inside ? from.at(row, column) : 0.0F;
    }
  }

  /// The blocks of the tile's rows if requested, then those of its columns, in one loop;
  /// adjacent threads quantize blocks of adjacent lines.
  MX_HD void quantize() const noexcept {
    const auto size = static_cast<std::uint64_t>(to_.of_rows.how.format.size());
    const std::uint64_t blocks = side_ * (side_ / size);
    const std::uint64_t skipped = to_.of_rows.codes == nullptr ? blocks : 0;
    for (std::uint64_t i = own() + skipped; i < 2 * blocks; i += block_threads) {
      const bool is_row = i < blocks;
      const std::uint64_t place = is_row ? i : i - blocks;
      quantize_block_at(is_row, place % side_, place / side_);
    }
  }

 private:
  /// Block `along` of a line of the tile.
  MX_HD void quantize_block_at(bool is_row, std::uint64_t down,
                               std::uint64_t along) const noexcept {
    const blocks_arguments& to = is_row ? to_.of_rows : to_.of_columns;
    const auto size = static_cast<std::uint64_t>(to.how.format.size());
    const std::uint64_t line = (is_row ? first_row_ : first_column_) + down;
    const std::uint64_t block = (is_row ? first_column_ : first_row_) / size + along;
    if (line >= to.place.lines || block >= to.place.blocks_a_line) return;
    float x[largest_block] = {};
    if (pitch_ == 0) {
      load_block(to.from, line, block * size, size, x);
    } else {
      load_block(is_row ? lines(1, pitch_) : lines(pitch_, 1), down, along * size, size, x);
    }
    quantize_loaded_block(to, line * to.place.blocks_a_line + block, x);
  }

  [[nodiscard]] MX_HD std::uint64_t own() const noexcept {
    return static_cast<std::uint64_t>(self_.index());
  }
  [[nodiscard]] MX_HD matrix_lines lines(std::uint64_t stride,
                                         std::uint64_t line_stride) const noexcept {
    return {self_.template shared<float>(), number_type::fp32, side_, side_, stride, line_stride};
  }

  const Thread& self_;
  const block_tiles_arguments& to_;
  std::uint64_t side_, pitch_, first_row_ = 0, first_column_ = 0;
};

/// Block b of the grid quantizes tile b, tiles in row-major order.
template <class Thread>
MX_HD void quantize_block_tiles(const Thread& self, const block_tiles_arguments& to) {
  const block_tile<Thread> tile(self, to);
  tile.load();
  self.barrier();
  tile.quantize();
}

}  // namespace mx::kernels
