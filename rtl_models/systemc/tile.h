// SPDX-License-Identifier: Apache-2.0
// rtl_models/systemc/tile.h: one tile D = A * B + C of mx_tensor_core, code by code, and how its
// three streams cut it into words.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hardware {

/// Shape of mx_tensor_core: TileM, TileN and TileK of mx_pkg, Block of the module.
struct tile_shape {
  static constexpr int m = 16, n = 8, k = 64, block = 32;
  static constexpr int blocks = k / block;  ///< of a line
  static constexpr int elements = m * n;    ///< of D
};

/// Operands of a tile.
///   a, b              a code a byte; row i of A, column j of B are 64 codes each
///   scale_a, scale_b  two a line     c   (16, 8), row by row
struct tile {
  std::array<std::uint8_t, std::size_t{tile_shape::m* tile_shape::k}> a = {};
  std::array<std::uint8_t, std::size_t{tile_shape::n* tile_shape::k}> b = {};
  std::array<std::uint8_t, std::size_t{tile_shape::m* tile_shape::blocks}> scale_a = {};
  std::array<std::uint8_t, std::size_t{tile_shape::n* tile_shape::blocks}> scale_b = {};
  std::array<std::uint32_t, std::size_t{tile_shape::elements}> c = {};
};

/// Division of a tile into words for a number of lanes, a power of two up to 128.
struct tile_words {
  int lanes = 8;

  /// Rows in a word of A and C, and such words in a tile.
  [[nodiscard]] constexpr int rows() const {
    return lanes > tile_shape::n ? lanes / tile_shape::n : 1;
  }
  [[nodiscard]] constexpr int beats() const { return tile_shape::m / rows(); }
  /// Words of D per word of A, and per tile.
  [[nodiscard]] constexpr int phases() const { return rows() * tile_shape::n / lanes; }
  [[nodiscard]] constexpr int results() const { return tile_shape::elements / lanes; }
};
static_assert(tile_words{1}.beats() == 16 && tile_words{1}.phases() == 8);
static_assert(tile_words{8}.beats() == 16 && tile_words{8}.phases() == 1);
static_assert(tile_words{32}.beats() == 4 && tile_words{32}.results() == 4);

/// Part `index` of an array that has `count` of them.
template <class Code, std::size_t Size>
[[nodiscard]] constexpr std::span<const Code> part_of(const std::array<Code, Size>& whole,
                                                      int index, int count) {
  const std::size_t size = Size / static_cast<std::size_t>(count);
  return std::span<const Code>(whole).subspan(static_cast<std::size_t>(index) * size, size);
}

}  // namespace hardware
