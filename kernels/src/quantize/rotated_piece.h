// SPDX-License-Identifier: Apache-2.0
// kernels/src/quantize/rotated_piece.h: rotations of groups of 16, 32, 64 or 128 elements, of which
// a thread holds eight: three stages of butterflies within a thread, the others by exchange. A
// change of quantize_wide_rows. Equals mx::rotate, except for NaN bits
// (tests/kernels/quantize/rotate_test.cpp): every addition is one of binary32, in the same order of
// stages.
#pragma once
#include "mx/block/rotation.h"
#include "quantize/wide_piece.h"

namespace mx::kernels {

struct rotated {
  int threads = 0;                ///< of a group
  float factor = 1;               ///< of mx::rotation_factor
  std::uint32_t negated[4] = {};  ///< bit i % 32 of word i / 32: element i of a group

  template <class Thread>
  MX_HD void operator()(const Thread& self, wide_piece& piece) const noexcept {
    negate(self.index() % threads, piece);
    mix_own(piece);
    for (int mask = 1; mask < threads; mask *= 2) mix_with(self, mask, piece);
    for (float& x : piece.x) x *= factor;
  }

 private:
  MX_HD void negate(int place, wide_piece& piece) const noexcept {
    const std::uint32_t even = place < 8 ? negated[0] : negated[2];
    const std::uint32_t odd = place < 8 ? negated[1] : negated[3];
    const std::uint32_t signs = (place % 8 < 4 ? even : odd) >> (place % 4 * piece_elements);
    for (int i = 0; i < piece_elements; ++i) {
      piece.x[i] = float_of(bits_of(piece.x[i]) ^ (signs >> i & 1) << 31);
    }
  }

  static MX_HD void mix_own(wide_piece& piece) noexcept {
    for (int stride = 1; stride < piece_elements; stride *= 2) {
      for (int i = 0; i < piece_elements; ++i) {
        if ((i & stride) != 0) continue;
        const float a = piece.x[i], b = piece.x[i + stride];
        piece.x[i] = a + b;
        piece.x[i + stride] = a - b;
      }
    }
  }

  /// The thread whose lane has the bit holds b: it computes a - b = a + (-b), the other a + b.
  template <class Thread>
  static MX_HD void mix_with(const Thread& self, int mask, wide_piece& piece) noexcept {
    const std::uint32_t sign = (self.index() & mask) != 0 ? 0x80000000 : 0;
    for (float& x : piece.x) {
      const float other = float_of(self.exchange(bits_of(x), mask));
      x = other + float_of(bits_of(x) ^ sign);
    }
  }
};

///   by.size  not 0
[[nodiscard]] constexpr rotated rotated_by(const rotation& by) noexcept {
  rotated result{by.size / piece_elements, rotation_factor(by.size), {}};
  for (int i = 0; i < by.size; ++i) {
    result.negated[i / 32] |= (is_negated(by, i) ? 1U : 0U) << (i % 32);
  }
  return result;
}

}  // namespace mx::kernels
