// SPDX-License-Identifier: Apache-2.0
// kernels/src/input_pairs.h: eight consecutive elements of a matrix as one thread loads them, as
// four pairs of bfloat16 numbers that have the same codes.
#pragma once
#include "bfloat16_pairs.h"
#include "mx/tensor/blocks.h"

namespace mx::kernels {

/// 16 bytes loaded and stored at once.
struct alignas(16) quad_word {
  std::uint32_t word[4];
};

inline constexpr int piece_elements = 8;
struct piece {
  std::uint32_t pair[piece_elements / 2];
};

/// A piece in the bits of its type, as a thread loads it.
template <number_type Type>
struct stored_piece {
  quad_word quad[Type == number_type::fp32 ? 2 : 1];
};

/// A piece from its first word of 16 bytes on.
template <number_type Type>
[[nodiscard]] MX_HD inline stored_piece<Type> stored_piece_at(const quad_word* from) noexcept {
  constexpr int quads = sizeof(stored_piece<Type>) / sizeof(quad_word);
  stored_piece<Type> result;
  for (int i = 0; i < quads; ++i) result.quad[i] = from[i];
  return result;
}

/// The pairs of a piece.
[[nodiscard]] MX_HD inline piece narrowed(const stored_piece<number_type::bf16>& x) noexcept {
  const quad_word& words = x.quad[0];
  return {words.word[0], words.word[1], words.word[2], words.word[3]};
}
[[nodiscard]] MX_HD inline piece narrowed(const stored_piece<number_type::fp16>& x) noexcept {
  piece result;
  for (int i = 0; i < 4; ++i) {
    const std::uint32_t word = x.quad[0].word[i];
    const float first = pairs::widened_binary16(word & 0xFFFF);
    const float second = pairs::widened_binary16(word >> 16);
    result.pair[i] = pairs::rounded_to_odd(bits_of(first), bits_of(second));
  }
  return result;
}
[[nodiscard]] MX_HD inline piece narrowed(const stored_piece<number_type::fp32>& x) noexcept {
  const quad_word &first = x.quad[0], &second = x.quad[1];
  return {pairs::rounded_to_odd(first.word[0], first.word[1]),
          pairs::rounded_to_odd(first.word[2], first.word[3]),
          pairs::rounded_to_odd(second.word[0], second.word[1]),
          pairs::rounded_to_odd(second.word[2], second.word[3])};
}

/// The largest magnitude of a piece, as bits of a bfloat16 number; above 0x7F7F if an element is
/// special.
[[nodiscard]] MX_HD inline std::uint32_t amax_of(const piece& x) noexcept {
  std::uint32_t largest = 0;
  for (const std::uint32_t pair : x.pair)
    largest = pairs::larger(largest, pair & pairs::magnitudes);
  const std::uint32_t low = largest & 0xFFFF, high = largest >> 16;
  return low > high ? low : high;
}

/// The maximum of unsigned numbers over adjacent threads that share a block; called by all threads
/// of the warp.
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
