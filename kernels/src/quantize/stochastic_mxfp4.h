// SPDX-License-Identifier: Apache-2.0
// kernels/src/quantize/stochastic_mxfp4.h: MXFP4 by a power-of-two rule with up to 8 random bits an
// element: a coder of quantize_wide_rows. One call of Philox serves 16 elements: of two adjacent
// threads one makes the call for the first pieces of both, the other that for the second pieces,
// and they exchange halves; so each makes one call for its 16 elements.
#pragma once
#include "quantize/random_conversion.h"
#include "quantize/wide_rows.h"

namespace mx::kernels {

/// Call `number` of the stream, for pieces 2 number and 2 number + 1.
[[nodiscard]] MX_HD inline philox_counter words_of_call(const random_source& from,
                                                        std::uint64_t number) noexcept {
  return philox(from.seed, {{static_cast<std::uint32_t>(number),
                             static_cast<std::uint32_t>(number >> 32), from.stream, from.step}});
}

struct stochastic_mxfp4 {
  static constexpr int block_pieces = 4;

  /// Words 2 p and 2 p + 1 of the stream for piece p.
  struct drawn {
    std::uint32_t word[pieces_a_thread][2];
  };

  scale_step step;
  random_source random;
  random_dealing dealing;

  template <class Thread>
  [[nodiscard]] MX_HD drawn draw(const Thread& self, std::uint64_t first,
                                 std::uint64_t second) const noexcept {
    const int odd = self.index() % 2;
    const philox_counter own = words_of_call(random, (odd == 0 ? first : second) / 2);
    drawn result;
    for (int i = 0; i < 2; ++i) {
      const std::uint32_t low = own.word[i], high = own.word[i + 2];
      const std::uint32_t given = self.exchange(odd == 0 ? high : low, 1);
      result.word[0][i] = odd == 0 ? low : given;
      result.word[1][i] = odd == 0 ? given : high;
    }
    return result;
  }

  template <int I, class Thread>
  [[nodiscard]] MX_HD piece_codes codes_of(const Thread& self, const wide_piece& x,
                                           const drawn& words) const noexcept {
    const std::uint32_t amax = largest_of_adjacent<block_pieces>(self, amax_of(x));
    const std::uint32_t odd = pairs::rounded_to_odd(amax, 0) & 0xFFFF;
    if (odd > largest_finite_bfloat16) return {0, e8m0::nan().code};
    const std::uint32_t scale = scale_code_of(step, odd);
    return {rounded(x, float_of((254 - scale) << 23), words.word[I]), scale};
  }

 private:
  [[nodiscard]] MX_HD std::uint32_t rounded(const wide_piece& x, float reciprocal,
                                            const std::uint32_t (&words)[2]) const noexcept {
    std::uint32_t codes = 0;
    for (int i = 0; i < 4; ++i) {
      const std::uint32_t bytes =
          permuted_bytes(words[i / 2], 0, i % 2 == 0 ? dealing.first : dealing.second);
      codes |= stochastic_byte_of(x.x[2 * i], x.x[2 * i + 1], reciprocal, bytes, dealing.kept)
               << (8 * i);
    }
    return codes;
  }
};

}  // namespace mx::kernels
