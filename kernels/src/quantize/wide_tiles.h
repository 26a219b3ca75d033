// SPDX-License-Identifier: Apache-2.0
// kernels/src/quantize/wide_tiles.h: codes along the columns of a matrix, or along rows and columns
// in one pass over it, from elements kept exactly, by a coder of quantize_wide_rows. A block of
// threads processes a tile of 64 rows and 64 columns; a thread two pieces of rows as it loads them,
// then a piece of each of two adjacent columns from shared memory. Eight adjacent threads store 32
// bytes of a line's codes.
// Equals mx::quantize_block of the matrix and of its transpose
// (tests/kernels/quantize/quantize_test.cpp).
//
// Shared memory: the tile in the bits of its type, row by row, a piece in one or two words of 16
// bytes:
//   word h of piece p of row r  ->  word (quads r + 8 h + (p XOR r / 8)), quads: 16 of FP32, else 8
// so that neither the pieces of a row nor the same two columns of eight pieces share a bank.
#pragma once
#include "quantize/tiled_matrix.h"
#include "quantize/wide_rows.h"

namespace mx::kernels {

inline constexpr int wide_tile_side = 64;
inline constexpr int tile_pieces = wide_tile_side / piece_elements;  // of a line of the tile
static_assert(wide_tile_side * tile_pieces == wide_pieces);

/// Piece `along` of a line of `pieces` pieces.
struct piece_place {
  std::uint64_t line, along, pieces;
  bool is_inside;

  [[nodiscard]] MX_HD std::uint64_t number() const noexcept { return line * pieces + along; }
};

/// 16 bytes stored at once, and loaded in halves.
struct alignas(8) tile_half {
  std::uint32_t word[2];
};
struct alignas(16) tile_quad {
  tile_half half[2];
};

template <number_type Type>
struct wide_tile_memory {
  static constexpr int quads_a_piece = sizeof(stored_piece<Type>) / sizeof(quad_word);
  static constexpr int quads_a_row = tile_pieces * quads_a_piece;
  static constexpr int quads = wide_tile_side * quads_a_row;

  static MX_HD void store(tile_quad* tile, int row, int across,
                          const stored_piece<Type>& x) noexcept {
    tile_quad* to = tile + row * quads_a_row + (across ^ row / piece_elements);
    for (int h = 0; h < quads_a_piece; ++h) {
      const std::uint32_t(&word)[4] = x.quad[h].word;
      to[h * tile_pieces] = {{{{word[0], word[1]}}, {{word[2], word[3]}}}};
    }
  }

  /// Rows 8 down to 8 down + 7 of columns 2 pair and 2 pair + 1.
  static MX_HD void load(const tile_quad* tile, int down, int pair, wide_piece& x,
                         wide_piece& y) noexcept {
    const int within = 2 * pair % piece_elements;  // a number of the piece
    const int quad =
        within * quads_a_piece / piece_elements * tile_pieces + (2 * pair / piece_elements ^ down);
    const int word = within * quads_a_piece / 2 % 4;
    for (int i = 0; i < piece_elements; ++i) {
      const tile_quad& from = tile[(down * piece_elements + i) * quads_a_row + quad];
      float both[2];
      if constexpr (Type == number_type::fp32) {
        const tile_half two = from.half[word / 2];
        both[0] = float_of(two.word[0]), both[1] = float_of(two.word[1]);
      } else {
        widen_word<Type>(from.half[word / 2].word[word % 2], both);
      }
      x.x[i] = both[0], y.x[i] = both[1];
    }
  }
};

/// Called by all threads of the warp.
template <int I, class Coder, class Thread>
MX_HD void quantize_piece_of_line(const Thread& self, const piece_lines& to, const Coder& coder,
                                  const typename Coder::drawn& drawn, const piece_place& at,
                                  const wide_piece& x) {
  const piece_codes own = coder.template codes_of<I>(self, x, drawn);
  if (!at.is_inside) return;
  to.codes[at.number()] = own.codes;
  if (at.along % Coder::block_pieces == 0) {
    to.scales[to.place.at(at.line, at.along / Coder::block_pieces)] =
        static_cast<std::uint8_t>(own.scale);
  }
}

template <class Coder, class Thread>
MX_HD void quantize_two_pieces(const Thread& self, const piece_lines& to, const Coder& coder,
                               const piece_place& first, const wide_piece& x,
                               const piece_place& second, const wide_piece& y) {
  const typename Coder::drawn drawn = coder.draw(self, first.number(), second.number());
  quantize_piece_of_line<0>(self, to, coder, drawn, first, x);
  quantize_piece_of_line<1>(self, to, coder, drawn, second, y);
}

/// A thread's pieces of a tile: rows t / 8 and t / 8 + 32, columns t / 8 * 2 and the next.
struct wide_tile_place {
  std::uint64_t rows, columns, first_row, first_column;
  int thread;

  [[nodiscard]] MX_HD piece_place of_row(int row) const noexcept {
    const std::uint64_t line = first_row + static_cast<std::uint64_t>(row);
    return at(line, first_column, line < rows, columns);
  }
  [[nodiscard]] MX_HD piece_place of_column(int column) const noexcept {
    const std::uint64_t line = first_column + static_cast<std::uint64_t>(column);
    return at(line, first_row, line < columns, rows);
  }

 private:
  [[nodiscard]] MX_HD piece_place at(std::uint64_t line, std::uint64_t first, bool is_line,
                                     std::uint64_t length) const noexcept {
    const auto piece = static_cast<std::uint64_t>(thread % tile_pieces);
    const std::uint64_t along = first / piece_elements + piece, pieces = length / piece_elements;
    return {line, along, pieces, is_line && along < pieces};
  }
};

/// Block b of the grid processes tile b, tiles in row-major order.
///   shared memory  wide_tile_memory<Type>::quads
template <number_type Type, class Coder, class Thread>
MX_HD void quantize_wide_tiles(const Thread& self, const tiled_matrix& to, const Coder& coder) {
  using memory = wide_tile_memory<Type>;
  const tile_corner corner =
      corner_of_tile(self.block(), to.columns, wide_tile_side, wide_tile_side);
  const wide_tile_place place{to.rows, to.columns, corner.row, corner.column, self.index()};
  auto* tile = self.template shared<tile_quad>();
  const int line = self.index() / tile_pieces, piece = self.index() % tile_pieces;
  const piece_place first = place.of_row(line), second = place.of_row(line + wide_tile_side / 2);
  stored_piece<Type> x = {}, y = {};
  if (first.is_inside) x = stored_piece_at<Type>(to.from.at<Type>(first.line, first.number()));
  if (second.is_inside) y = stored_piece_at<Type>(to.from.at<Type>(second.line, second.number()));
  memory::store(tile, line, piece, x);
  memory::store(tile, line + wide_tile_side / 2, piece, y);
  if (to.of_rows.codes != nullptr) {
    quantize_two_pieces(self, to.of_rows, coder, first, widened(x), second, widened(y));
  }
  self.barrier();
  wide_piece left, right;
  memory::load(tile, piece, line, left, right);
  quantize_two_pieces(self, to.of_columns, coder, place.of_column(2 * line), left,
                      place.of_column(2 * line + 1), right);
}

}  // namespace mx::kernels
