// SPDX-License-Identifier: Apache-2.0
// kernels/src/quantize_mxfp4_stochastic.h: MXFP4 along the rows of a matrix whose rows are whole blocks,
// with a power-of-two rule and up to 8 random bits an element. A thread takes two pieces of eight
// elements, four threads a block. One call of Philox serves 16 elements: of two adjacent threads one
// makes the call of both their first pieces, the other that of both their second, and they exchange
// halves; so each makes one call for its 16 elements, and all loads of a warp touch one stretch.
// Equals mx::quantize_block (tests/kernels/quantize_test.cpp).
#pragma once
#include "quantize_mxfp4_rows.h"
#include "stochastic_pairs.h"
#include "wide_piece.h"

namespace mx::kernels {

inline constexpr int stochastic_threads = 256;
inline constexpr int stochastic_pieces = 2 * stochastic_threads;  // of a block of threads

struct mxfp4_stochastic_arguments {
  mxfp4_rows_arguments rows;
  random_source random;
  random_dealing dealing;
};

/// The words of a piece: 2 p and 2 p + 1 of the stream for piece p.
struct piece_words {
  std::uint32_t word[2];
};

/// Call `number` of the stream, which serves pieces 2 number and 2 number + 1.
[[nodiscard]] MX_HD inline philox_counter words_of_call(const random_source& from,
                                                        std::uint64_t number) noexcept {
  return philox(from.seed, {{static_cast<std::uint32_t>(number),
                             static_cast<std::uint32_t>(number >> 32), from.stream, 0}});
}

/// Codes of a piece under one scale, of the first element in the low bits.
[[nodiscard]] MX_HD inline std::uint32_t stochastic_codes_of(const wide_piece& x, float reciprocal,
                                                             const piece_words& random,
                                                             const random_dealing& how) noexcept {
  std::uint32_t codes = 0;
  for (int i = 0; i < 4; ++i) {
    const std::uint32_t bytes =
        permuted_bytes(random.word[i / 2], 0, i % 2 == 0 ? how.first : how.second);
    const std::uint32_t two =
        stochastic_codes_of(x.x[2 * i], x.x[2 * i + 1], reciprocal, bytes, how.kept);
    codes |= packed_codes(two) << (8 * i);
  }
  return codes;
}

/// Four adjacent threads share a block; all threads of the warp call this.
template <class Thread>
[[nodiscard]] MX_HD quarter_block stochastic_quarter_of(const Thread& self, const wide_piece& x,
                                                        const scale_step& step,
                                                        const piece_words& random,
                                                        const random_dealing& how) noexcept {
  const std::uint32_t amax = largest_of_four(self, amax_of(x));
  const std::uint32_t odd = pairs::rounded_to_odd(amax, 0) & 0xFFFF;
  if (odd > largest_finite_bfloat16) return {0, e8m0::nan().code};
  const std::uint32_t scale = scale_code_of(step, odd);
  const float reciprocal = float_of((254 - scale) << 23);
  return {stochastic_codes_of(x, reciprocal, random, how), scale};
}

/// The words of a thread's two pieces.
///   first, second  numbers of the pieces; those of the thread beside it are their neighbours
template <class Thread>
MX_HD void draw(const Thread& self, const random_source& from, std::uint64_t first,
                std::uint64_t second, piece_words (&words)[2]) noexcept {
  const int odd = self.index() % 2;
  const philox_counter own = words_of_call(from, (odd == 0 ? first : second) / 2);
  for (int i = 0; i < 2; ++i) {
    const std::uint32_t low = own.word[i], high = own.word[i + 2];
    const std::uint32_t given = self.exchange(odd == 0 ? high : low, 1);
    words[0].word[i] = odd == 0 ? low : given;
    words[1].word[i] = odd == 0 ? given : high;
  }
}

/// Threads 4 b to 4 b + 3 of a block of threads take block b of its first half, and of its second.
template <number_type Type, class Thread>
MX_HD void quantize_mxfp4_stochastic(const Thread& self, const mxfp4_stochastic_arguments& to) {
  const std::uint64_t first =
      self.block() * stochastic_pieces + static_cast<std::uint64_t>(self.index());
  const std::uint64_t numbers[2] = {first, first + stochastic_threads};
  piece_words words[2];
  draw(self, to.random, numbers[0], numbers[1], words);
  wide_piece x[2] = {};
  for (int i = 0; i < 2; ++i) {
    if (numbers[i] < to.rows.pieces) x[i] = wide_piece_at<Type>(to.rows.x, numbers[i]);
  }
  for (int i = 0; i < 2; ++i) {
    const quarter_block own = stochastic_quarter_of(self, x[i], to.rows.step, words[i], to.dealing);
    if (numbers[i] >= to.rows.pieces) continue;
    to.rows.codes[numbers[i]] = own.codes;
    if (numbers[i] % 4 == 0) {
      to.rows.scales[to.rows.place(numbers[i] / 4)] = static_cast<std::uint8_t>(own.scale);
    }
  }
}

}  // namespace mx::kernels
