// SPDX-License-Identifier: Apache-2.0
// kernels/verify/matrices.h: matrices that kernels are tested on.
#pragma once
#include <cstdint>
#include <vector>

#include "mx/number/philox.h"
#include "mx/tensor/blocks.h"
#include "parallel_lines.h"
#include "threshold_tiles.h"

namespace mx::kernels {

/// Values of a matrix in the bits of its type.
struct matrix {
  number_type type;
  std::uint64_t rows, columns;
  std::vector<std::uint8_t> bytes;

  [[nodiscard]] std::uint64_t elements() const { return rows * columns; }
};

/// Bits of a kind of binary32 number: exponents close together, any exponent, subnormal, ties of
/// E2M1, zeros; occasionally Inf or NaN.
inline std::uint32_t adversarial_bits(std::uint32_t word, std::uint32_t other) {
  const std::uint32_t sign = word & 0x80000000, fraction = other & 0x007FFFFF;
  switch (word >> 8 & 15) {
    case 0:
      return sign;
    case 1:
      return sign | fraction;
    case 2:
      return sign | (other >> 23 & 0xFF) << 23 | fraction;
    case 3:
      return (word & 0x7F0000) == 0 ? sign | 0x7F800000 | (other & 1) : sign | 0x3F800000;
    case 4:
    case 5:
    case 6:
      return sign | (125 + word % 4) << 23 | (other & 3) << 21 | (other >> 8 & 1);
    default:
      return sign | (120 + word % 8) << 23 | fraction;
  }
}

/// The same for FP16.
inline std::uint32_t adversarial_half(std::uint32_t word, std::uint32_t other) {
  switch (word & 15) {
    case 0:
      return other & 0xFFFF;
    case 1:
    case 2:
      return other & 0x83FF;
    case 3:
      return other & 0x8000;
    default:
      return (word >> 16 & 0x8000) | 0x3800 | (other & 0x0FFF);
  }
}

/// The code of such a number in its type.
inline std::uint32_t adversarial_code(number_type type, const philox_counter& drawn) {
  if (type == number_type::fp16) return adversarial_half(drawn.word[2], drawn.word[3]);
  const std::uint32_t bits = adversarial_bits(drawn.word[0], drawn.word[1]);
  return type == number_type::bf16 ? bits >> 16 : bits;
}

/// Half of the tiles of 32 by 32 are thresholds of scale rules, the first one always; the others
/// are adversarial numbers, some zeros of both signs.
inline std::uint32_t matrix_code(const drawn_place& at, const philox_counter& drawn) {
  const bool is_first = at.row < 32 && at.column < 32;
  const std::uint32_t kind = is_first ? 7 : at.of_tile(16).word[0] % 8;
  if (kind > 3) return code_in_tile(at, drawn);
  if (kind > 0) return adversarial_code(at.type, drawn);
  return (drawn.word[0] & 1) << (widths_of(at.type).code - 1);
}

inline matrix adversarial_matrix(number_type type, std::uint64_t rows, std::uint64_t columns,
                                 std::uint64_t seed) {
  matrix made{type, rows, columns, {}};
  const std::uint64_t size = bytes_of(type);
  made.bytes.resize(made.elements() * size);
  const auto code_at = [&](std::uint64_t row, std::uint64_t column, std::uint64_t i) {
    const philox_counter drawn = philox(seed, {{static_cast<std::uint32_t>(i), 0, 0, 1}});
    const drawn_place at{type, seed, static_cast<std::uint32_t>(row),
                         static_cast<std::uint32_t>(column)};
    return matrix_code(at, drawn);
  };
  for_each_line(rows, [&](std::size_t row) {
    for (std::uint64_t column = 0; column < columns; ++column) {
      const std::uint64_t i = row * columns + column;
      const std::uint32_t code = code_at(row, column, i);
      for (std::uint64_t b = 0; b < size; ++b) {
        made.bytes[i * size + b] = static_cast<std::uint8_t>(code >> (8 * b));
      }
    }
  });
  return made;
}

inline matrix transposed(const matrix& from) {
  matrix made{from.type, from.columns, from.rows, std::vector<std::uint8_t>(from.bytes.size())};
  const std::uint64_t size = bytes_of(from.type);
  for (std::uint64_t r = 0; r < from.rows; ++r) {
    for (std::uint64_t c = 0; c < from.columns; ++c) {
      for (std::uint64_t b = 0; b < size; ++b) {
        made.bytes[(c * from.rows + r) * size + b] = from.bytes[(r * from.columns + c) * size + b];
      }
    }
  }
  return made;
}

}  // namespace mx::kernels
