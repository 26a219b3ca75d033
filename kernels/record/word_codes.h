// SPDX-License-Identifier: Apache-2.0
// kernels/record/word_codes.h: words of dot products in device memory, and the part of one that an
// instruction takes.
#pragma once
#include "warp_fragments.h"

namespace mx::kernels {

/// Positions of codes of A and of B in their words, k of the instruction, elements to a scale (0:
/// no scales).
struct instruction_shape {
  container a, b;
  int k = 16, block = 0;
};

/// Words in device memory. Word w has codes a[begin[w]] to a[begin[w + 1] - 1], as many of b,
/// scales from scale_begin[w] on.
struct device_words {
  const std::uint32_t *a, *b, *scale_a, *scale_b, *c;
  const int *begin, *scale_begin;
  std::uint32_t* d;
};

/// Scales of `count` blocks from `first` on; beyond the end `one`, the scale 1 in UE8M0 or UE4M3.
[[nodiscard]] MX_HD constexpr std::uint32_t scales_from(const std::uint32_t* scales, int count,
                                                        int first, int wanted,
                                                        std::uint32_t one) noexcept {
  std::uint32_t word = 0;
  for (int i = 0; i < wanted; ++i) {
    word |= (first + i < count ? scales[first + i] & 0xFF : one) << (8 * i);
  }
  return word;
}

/// The code of the scale 1 in blocks of that size: UE4M3 in blocks of 16, UE8M0 in others.
[[nodiscard]] MX_HD constexpr std::uint32_t scale_of_one(int block) noexcept {
  return block == 16 ? 0x38 : 127;
}

}  // namespace mx::kernels
