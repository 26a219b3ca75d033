// SPDX-License-Identifier: Apache-2.0
// kernels/src/quantize/tile_number.h: the tile of a matrix for a block of threads, in row-major
// order.
#pragma once
#include <cstdint>

#include "mx/number/config.h"

namespace mx::kernels {

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
