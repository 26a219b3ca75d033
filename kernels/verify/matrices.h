// SPDX-License-Identifier: Apache-2.0
// kernels/verify/matrices.h: matrices that kernels are tried on.
#pragma once
#include <cstdint>
#include <vector>

#include "mx/bulk_blocks.h"
#include "mx/philox.h"

namespace mx::kernels {

/// Values of a matrix in the bits of its type.
struct matrix {
  number_type type;
  std::uint64_t rows, columns;
  std::vector<std::uint8_t> bytes;

  [[nodiscard]] std::uint64_t elements() const { return rows * columns; }
};

/// Bits of some kind of binary32 number: exponents close together, anywhere, subnormal, ties of E2M1,
/// zeros; now and then Inf or NaN.
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

inline matrix adversarial_matrix(number_type type, std::uint64_t rows, std::uint64_t columns,
                                 std::uint64_t seed) {
  matrix made{type, rows, columns, {}};
  made.bytes.resize(made.elements() * bytes_of(type));
  for (std::uint64_t i = 0; i < made.elements(); ++i) {
    const philox_counter drawn = philox(seed, {{static_cast<std::uint32_t>(i), 0, 0, 1}});
    const std::uint32_t bits = adversarial_bits(drawn.word[0], drawn.word[1]);
    std::uint32_t code = bits;
    if (type == number_type::bf16) code = bits >> 16;
    if (type == number_type::fp16)
      code = (drawn.word[2] & 3) == 0 ? drawn.word[3] & 0x7BFF
                                      : (bits >> 16 & 0x8000) | 0x3800 | (drawn.word[3] & 0x0FFF);
    for (std::uint64_t b = 0; b < bytes_of(type); ++b) {
      made.bytes[i * bytes_of(type) + b] = static_cast<std::uint8_t>(code >> (8 * b));
    }
  }
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
