// SPDX-License-Identifier: Apache-2.0
// kernels/src/wide_piece.h: eight consecutive elements of a matrix as one thread loads them, exactly,
// as binary32 numbers: for what is added or cut before it is rounded to codes.
#pragma once
#include "input_pairs.h"

namespace mx::kernels {

struct wide_piece {
  float x[piece_elements];
};

/// Piece `number` of a matrix: elements 8 number to 8 number + 7.
template <number_type Type>
[[nodiscard]] MX_HD inline wide_piece wide_piece_at(const void* x, std::uint64_t number) noexcept {
  wide_piece result;
  if constexpr (Type == number_type::fp32) {
    const quad_word* words = static_cast<const quad_word*>(x) + 2 * number;
    for (int half = 0; half < 2; ++half) {
      const quad_word four = words[half];
      for (int i = 0; i < 4; ++i) result.x[4 * half + i] = float_of(four.word[i]);
    }
  } else {
    const quad_word pairs_of = static_cast<const quad_word*>(x)[number];
    for (int i = 0; i < 4; ++i) {
      const std::uint32_t pair = pairs_of.word[i];
      constexpr bool is_bfloat16 = Type == number_type::bf16;
      result.x[2 * i] = is_bfloat16 ? float_of(pair << 16) : pairs::widened_binary16(pair & 0xFFFF);
      result.x[2 * i + 1] =
          is_bfloat16 ? float_of(pair & 0xFFFF0000) : pairs::widened_binary16(pair >> 16);
    }
  }
  return result;
}

/// The largest magnitude of a piece, as bits of a binary32 number; above 0x7F7FFFFF where one is
/// special.
[[nodiscard]] MX_HD inline std::uint32_t amax_of(const wide_piece& piece) noexcept {
  std::uint32_t largest = 0;
  for (const float x : piece.x) {
    const std::uint32_t magnitude = bits_of(x) & 0x7FFFFFFF;
    largest = largest > magnitude ? largest : magnitude;
  }
  return largest;
}

/// The largest of unsigned numbers of adjacent threads, which share a block; all threads of the warp
/// call this.
///   Threads  a power of two
template <int Threads, class Thread>
[[nodiscard]] MX_HD std::uint32_t largest_of_adjacent(const Thread& self,
                                                      std::uint32_t number) noexcept {
  for (int mask = 1; mask < Threads; mask *= 2) {
    const std::uint32_t other = self.exchange(number, mask);
    number = number > other ? number : other;
  }
  return number;
}

}  // namespace mx::kernels
