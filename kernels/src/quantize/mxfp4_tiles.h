// SPDX-License-Identifier: Apache-2.0
// kernels/src/quantize/mxfp4_tiles.h: MXFP4 along the columns of a matrix, or along rows and
// columns in one pass over it; a power-of-two rule, ties to even. A block of threads quantizes a
// tile of 64 rows and 128 columns: rows from registers as they are loaded, columns from shared
// memory. Equals mx::quantize_block of the matrix and of its transpose
// (tests/kernels/verify/backends_test.cpp).
//
// Shared memory: the tile as bfloat16, row r from word r * tile_pitch on; pair p of a row is
// columns 2p and 2p + 1. A warp loads from it 32 adjacent columns of a row, two a word.
#pragma once
#include "quantize/mxfp4_rows.h"
#include "quantize/tiled_matrix.h"
#include "unrolled.h"

namespace mx::kernels {

inline constexpr int tile_rows = 64;
inline constexpr int tile_columns = 128;
inline constexpr int tile_threads = 128;
inline constexpr int tile_pitch = tile_columns / 2 + 4;  // rows 16-byte aligned, on different banks
inline constexpr int tile_bytes = tile_rows * tile_pitch * 4;

/// Codes of columns are 16-byte aligned.
struct mxfp4_tiles_arguments : tiled_matrix {
  scale_step step;
};

/// Codes of the 32 elements of one block of a column in four words, and its scale.
struct column_block {
  quad_word codes;
  std::uint32_t scale;
};

///   halves  the tile from the block's first row and the column on, in 16-bit halves
[[nodiscard]] MX_HD inline column_block column_block_of(const std::uint16_t* halves,
                                                        const scale_step& step) noexcept {
  std::uint32_t pair[16], largest = 0;
  for (int i = 0; i < 16; ++i) {
    pair[i] = halves[4 * i * tile_pitch] | std::uint32_t{halves[(4 * i + 2) * tile_pitch]} << 16;
    largest = pairs::larger(largest, pair[i] & pairs::magnitudes);
  }
  const std::uint32_t low = largest & 0xFFFF, high = largest >> 16;
  const std::uint32_t amax = low > high ? low : high;
  if (amax > largest_finite_bfloat16) return {{}, e8m0::nan().code};
  column_block result{{}, scale_code_of(step, amax)};
  const std::uint32_t reciprocals = reciprocals_of(result.scale);
  for (int i = 0; i < 16; ++i) {
    result.codes.word[i / 4] |= packed_codes_of(pair[i], reciprocals) << (i % 4 * 8);
  }
  return result;
}

template <number_type Type, class Thread>
class mxfp4_tile {
 public:
  MX_HD mxfp4_tile(const Thread& self, const mxfp4_tiles_arguments& to) noexcept
      : self_(self),
        to_(to),
        shared_(self.template shared<std::uint32_t>()),
        corner_(corner_of_tile(self.block(), to.columns, tile_rows, tile_columns)) {}

  /// In each step the threads load four times eight rows of sixteen pieces, then quantize them.
  MX_HD void rows() const noexcept {
    for (int first = 0; first < tile_rows; first += rows_in_flight) {
      stored_piece<Type> x[pieces_in_flight];
      unrolled<pieces_in_flight>([&](int i) { x[i] = loaded(place_of(first, i)); });
      unrolled<pieces_in_flight>([&](int i) { piece_of_row(place_of(first, i), x[i]); });
    }
  }

  /// A thread quantizes a column.
  MX_HD void columns() const noexcept {
    const std::uint64_t column = corner_.column + static_cast<std::uint64_t>(self_.index());
    if (to_.of_columns.codes == nullptr || column >= to_.columns) return;
    const std::uint64_t blocks_a_line = to_.rows / 32;
    for (int block = 0; block < tile_rows / 32; ++block) {
      const std::uint64_t along = corner_.row / 32 + static_cast<std::uint64_t>(block);
      if (along >= blocks_a_line) return;
      const auto* halves = reinterpret_cast<const std::uint16_t*>(shared_) +
                           block * 32 * 2 * tile_pitch + self_.index();
      const column_block result = column_block_of(halves, to_.step);
      const std::uint64_t number = column * blocks_a_line + along;
      reinterpret_cast<quad_word*>(to_.of_columns.codes)[number] = result.codes;
      to_.of_columns.scales[to_.of_columns.place.at(column, along)] =
          static_cast<std::uint8_t>(result.scale);
    }
  }

 private:
  static constexpr int pieces_across = tile_columns / piece_elements;
  static constexpr int pieces_in_flight = 4;  ///< of a thread
  static constexpr int rows_a_load = tile_threads / pieces_across;
  static constexpr int rows_in_flight = pieces_in_flight * rows_a_load;
  static_assert(tile_rows % rows_in_flight == 0);

  /// A piece of the thread's column of pieces.
  struct place_in_tile {
    int down;  ///< row of the tile
    std::uint64_t row, column, number;
    bool is_inside;
  };
  ///   i  the load of the step that begins at row `first` of the tile
  [[nodiscard]] MX_HD place_in_tile place_of(int first, int i) const noexcept {
    const int down = first + i * rows_a_load + self_.index() / pieces_across;
    const std::uint64_t r = corner_.row + static_cast<std::uint64_t>(down);
    const std::uint64_t c =
        corner_.column + static_cast<std::uint64_t>(self_.index() % pieces_across) * piece_elements;
    return {down, r, c, (r * to_.columns + c) / piece_elements, r < to_.rows && c < to_.columns};
  }
  [[nodiscard]] MX_HD stored_piece<Type> loaded(const place_in_tile& at) const noexcept {
    if (!at.is_inside) return {};
    return stored_piece_at<Type>(to_.from.template at<Type>(at.row, at.number));
  }

  MX_HD void piece_of_row(const place_in_tile& at,
                          const stored_piece<Type>& stored) const noexcept {
    const piece x = narrowed(stored);
    auto* words = reinterpret_cast<quad_word*>(shared_ + at.down * tile_pitch);
    words[self_.index() % pieces_across] = {x.pair[0], x.pair[1], x.pair[2], x.pair[3]};
    if (to_.of_rows.codes == nullptr) return;
    const quarter_block own = quarter_block_of(self_, x, to_.step);
    if (!at.is_inside) return;
    to_.of_rows.codes[at.number] = own.codes;
    if (at.column % 32 == 0) {
      to_.of_rows.scales[to_.of_rows.place.at(at.row, at.column / 32)] =
          static_cast<std::uint8_t>(own.scale);
    }
  }

  const Thread& self_;
  const mxfp4_tiles_arguments& to_;
  std::uint32_t* shared_;
  tile_corner corner_;
};

/// Block b of the grid quantizes tile b, tiles in row-major order.
template <number_type Type, class Thread>
MX_HD void quantize_mxfp4_tiles(const Thread& self, const mxfp4_tiles_arguments& to) {
  const mxfp4_tile<Type, Thread> tile(self, to);
  tile.rows();
  self.barrier();
  tile.columns();
}

}  // namespace mx::kernels
