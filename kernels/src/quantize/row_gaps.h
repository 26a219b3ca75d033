// SPDX-License-Identifier: Apache-2.0
// kernels/src/quantize/row_gaps.h: where a piece of a matrix lies whose rows have gaps between
// them: pieces are numbered without the gaps, so that codes, scales and random bits do not depend
// on them.
#pragma once
#include "input_pairs.h"
#include "quantize/scale_place.h"

namespace mx::kernels {

/// Words of 16 bytes of a piece.
template <number_type Type>
inline constexpr std::uint64_t quads_a_piece = Type == number_type::fp32 ? 2 : 1;

/// Rows are whole pieces, and so are 16-byte aligned at a gap of whole words.
///   quads   words of 16 bytes between the end of a row and the next one; 0: row_of is not read
///   row_of  a piece's row
struct row_gaps {
  std::uint64_t quads = 0;
  shared_divisor row_of;

  /// First word of piece `number` of the matrix.
  template <number_type Type>
  [[nodiscard]] MX_HD constexpr std::uint64_t place_of(std::uint64_t number) const noexcept {
    const std::uint64_t dense = number * quads_a_piece<Type>;
    return quads == 0 ? dense : dense + row_of.of(number) * quads;
  }
  /// The same for a piece whose row is known.
  template <number_type Type>
  [[nodiscard]] MX_HD constexpr std::uint64_t place_in(std::uint64_t row,
                                                       std::uint64_t number) const noexcept {
    return number * quads_a_piece<Type> + row * quads;
  }
};

/// Where the pieces of a matrix are loaded.
struct piece_source {
  const void* x = nullptr;
  row_gaps gaps;

  template <number_type Type>
  [[nodiscard]] MX_HD const quad_word* at(std::uint64_t number) const noexcept {
    return static_cast<const quad_word*>(x) + gaps.place_of<Type>(number);
  }
  template <number_type Type>
  [[nodiscard]] MX_HD const quad_word* at(std::uint64_t row, std::uint64_t number) const noexcept {
    return static_cast<const quad_word*>(x) + gaps.place_in<Type>(row, number);
  }
};

}  // namespace mx::kernels
