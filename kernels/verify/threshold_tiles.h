// SPDX-License-Identifier: Apache-2.0
// kernels/verify/threshold_tiles.h: numbers at which scale rules switch, and smaller
// numbers, laid out so that blocks along rows and along columns have one each.
#pragma once
#include <algorithm>
#include <cstdint>
#include <iterator>

#include "mx/number/philox.h"
#include "mx/tensor/blocks.h"

namespace mx::kernels {

/// Widths of the fraction, and of a whole code.
struct type_widths {
  int fraction, code;
};
[[nodiscard]] inline type_widths widths_of(number_type type) {
  if (type == number_type::fp32) return {23, 32};
  return type == number_type::bf16 ? type_widths{7, 16} : type_widths{10, 16};
}

/// 1 + n / 128 for an n that is a threshold of some rule and element format, or one unit beside, in
/// any binade; mostly around 1.
[[nodiscard]] inline std::uint32_t threshold_code(number_type type, const philox_counter& drawn) {
  constexpr std::uint32_t places[] = {0, 32, 64, 80, 96, 104, 112, 116, 120, 124, 126, 127};
  const type_widths widths = widths_of(type);
  const std::uint32_t exponents = (1U << (widths.code - 1 - widths.fraction)) - 1;
  const std::uint32_t any = drawn.word[1] % (exponents - 1) + 1;
  const std::uint32_t near = exponents / 2 - 4 + drawn.word[1] % 8;
  const std::uint32_t exponent = drawn.word[0] % 4 == 0 ? any : near;
  const std::uint32_t place = places[drawn.word[2] % std::size(places)];
  return (exponent << widths.fraction) + (place << (widths.fraction - 7)) + drawn.word[3] % 3 - 1;
}

/// A number up to six binades below a magnitude; half of them have few bits, so that they include
/// ties of elements, or are one unit beside these.
///   amax  above 0
[[nodiscard]] inline std::uint32_t code_below(number_type type, std::uint32_t amax,
                                              const philox_counter& drawn) {
  const type_widths widths = widths_of(type);
  const std::uint32_t span = std::min(amax, 6U << widths.fraction);
  std::uint32_t code = amax - 1 - drawn.word[0] % span;
  if (drawn.word[1] % 2 == 0) {
    const auto kept = static_cast<int>(drawn.word[2] % 7) + 1;
    code &= ~((1U << (widths.fraction - kept)) - 1);
    code += drawn.word[2] >> 16 & 1;
  }
  return code | (drawn.word[3] & 1) << (widths.code - 1);
}

/// A place in a matrix, and the source of its random numbers.
struct drawn_place {
  number_type type;
  std::uint64_t seed;
  std::uint32_t row, column;

  /// Draws shared by all places of a tile of 32 by 32.
  [[nodiscard]] philox_counter of_tile(std::uint32_t number) const {
    return philox(seed, {{row / 32, column / 32, number, 2}});
  }
};

/// A code of a tile of thresholds: row r and column r have threshold r mod 16, in two of their 32
/// elements; all others are below those of their row and of their column.
[[nodiscard]] inline std::uint32_t code_in_tile(const drawn_place& at,
                                                const philox_counter& drawn) {
  const std::uint32_t of_row = threshold_code(at.type, at.of_tile(at.row % 16));
  if (at.row % 16 == at.column % 16) return of_row;
  const std::uint32_t of_column = threshold_code(at.type, at.of_tile(at.column % 16));
  return code_below(at.type, std::min(of_row, of_column), drawn);
}

}  // namespace mx::kernels
