// SPDX-License-Identifier: Apache-2.0
// kernels/src/quantize/wide_piece.h: eight consecutive elements of a matrix as one thread loads
// them, exactly, as binary32 numbers: for additions or truncations before the rounding to codes.
#pragma once
#include "input_pairs.h"

namespace mx::kernels {

struct wide_piece {
  float x[piece_elements];
};

/// The numbers of a word: one for FP32, two otherwise.
template <number_type Type>
MX_HD inline void widen_word(std::uint32_t word, float* x) noexcept {
  if constexpr (Type == number_type::fp32) {
    x[0] = float_of(word);
  } else {
    constexpr bool is_bfloat16 = Type == number_type::bf16;
    x[0] = is_bfloat16 ? float_of(word << 16) : pairs::widened_binary16(word & 0xFFFF);
    x[1] = is_bfloat16 ? float_of(word & 0xFFFF0000) : pairs::widened_binary16(word >> 16);
  }
}

template <number_type Type>
[[nodiscard]] MX_HD inline wide_piece widened(const stored_piece<Type>& piece) noexcept {
  constexpr int words = sizeof(stored_piece<Type>) / 4, numbers = piece_elements / words;
  wide_piece result;
  for (int i = 0; i < words; ++i) {
    widen_word<Type>(piece.quad[i / 4].word[i % 4], result.x + numbers * i);
  }
  return result;
}

/// The largest magnitude of a piece, as bits of a binary32 number; above 0x7F7FFFFF if an element
/// is special.
[[nodiscard]] MX_HD inline std::uint32_t amax_of(const wide_piece& piece) noexcept {
  std::uint32_t largest = 0;
  for (const float x : piece.x) {
    const std::uint32_t magnitude = bits_of(x) & 0x7FFFFFFF;
    largest = largest > magnitude ? largest : magnitude;
  }
  return largest;
}

}  // namespace mx::kernels
