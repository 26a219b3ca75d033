// SPDX-License-Identifier: Apache-2.0
// rtl_models/dpi/packed_vector.h: packed vectors of SystemVerilog as words, the lowest first, and
// their fields.
// Source: IEEE 1800-2017, annex H.10.1.2 (canonical representation of packed arrays).
#pragma once
#include <cstdint>
#include <optional>

#include "svdpi.h"

namespace hardware {

inline constexpr int word_bits = 32;

[[nodiscard]] constexpr int words_of_bits(int bits) { return (bits + word_bits - 1) / word_bits; }

/// Bits lowest and up of a vector.
///   width  1 to 32
[[nodiscard]] constexpr std::uint32_t field_of(const svBitVecVal* words, int lowest, int width) {
  const int at = lowest / word_bits, shift = lowest % word_bits;
  std::uint64_t bits = words[at];
  if (shift + width > word_bits) bits |= std::uint64_t{words[at + 1]} << word_bits;
  const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  return static_cast<std::uint32_t>(bits >> shift & mask);
}

/// Writes into a field that is zero.
///   value  below 2^width; the field lies in one word
constexpr void set_field(svBitVecVal* words, int lowest, std::uint32_t value) {
  words[lowest / word_bits] |= value << lowest % word_bits;
}

/// Location of an unknown bit in a vector of four states.
struct unknown_bit {
  int place;
  char state;  ///< 'X' or 'Z'
};

/// The lowest bit below `bits` that is X or Z.
[[nodiscard]] constexpr std::optional<unknown_bit> unknown_of(const svLogicVecVal* words,
                                                              int bits) {
  for (int place = 0; place < bits; ++place) {
    const svLogicVecVal& word = words[place / word_bits];
    const std::uint32_t bit = std::uint32_t{1} << place % word_bits;
    if ((word.bval & bit) != 0) return unknown_bit{place, (word.aval & bit) != 0 ? 'X' : 'Z'};
  }
  return std::nullopt;
}

/// Sets all bits of a vector to X.
constexpr void make_unknown(svLogicVecVal* words, int bits) {
  for (int i = 0; i < words_of_bits(bits); ++i) words[i].aval = words[i].bval = ~std::uint32_t{0};
}

}  // namespace hardware
