// SPDX-License-Identifier: Apache-2.0
// kernels/src/quantize/tiled_matrix.h: a matrix that is quantized along rows and columns in tiles,
// and the tile for a block of threads, in row-major order.
#pragma once
#include "quantize/row_gaps.h"

namespace mx::kernels {

/// Codes and scales of lines of whole blocks; null codes: not computed.
///   codes  4-byte aligned
struct piece_lines {
  scale_place_of place;
  std::uint32_t* codes = nullptr;
  std::uint8_t* scales = nullptr;
};

///   rows, columns  multiples of a block's elements
struct tiled_matrix {
  piece_source from;
  std::uint64_t rows = 0, columns = 0;
  piece_lines of_rows, of_columns;
};

/// Number of tiles along a side; the last one is masked if it has less than `tile` elements.
[[nodiscard]] MX_HD constexpr std::uint64_t tiles_along(std::uint64_t side, int tile) noexcept {
  const auto size = static_cast<std::uint64_t>(tile);
  return (side + size - 1) / size;
}

/// First row and column of a tile.
struct tile_corner {
  std::uint64_t row, column;
};

/// For tile `number`: a grid has less than 2^31 blocks, so that a 32-bit division suffices.
[[nodiscard]] MX_HD constexpr tile_corner corner_of_tile(std::uint64_t number,
                                                         std::uint64_t columns, int tile_rows,
                                                         int tile_columns) noexcept {
  const auto block = static_cast<std::uint32_t>(number);
  const auto across = static_cast<std::uint32_t>(tiles_along(columns, tile_columns));
  const std::uint32_t down = block / across, right = block - down * across;
  return {down * static_cast<std::uint64_t>(tile_rows),
          right * static_cast<std::uint64_t>(tile_columns)};
}

static_assert(corner_of_tile(7, 129, 64, 128).row == 3 * 64);
static_assert(corner_of_tile(7, 129, 64, 128).column == 128);

}  // namespace mx::kernels
