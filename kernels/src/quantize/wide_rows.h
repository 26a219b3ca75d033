// SPDX-License-Identifier: Apache-2.0
// kernels/src/quantize/wide_rows.h: codes along the rows of a matrix whose rows are whole blocks,
// from elements kept exactly. A thread processes two pieces of eight elements, so that all loads of
// a warp touch one contiguous range of memory; adjacent threads share a block. Policies change the
// elements first and select their codes.
//   change   unchanged, rotated (rotated_piece.h)
//   coder    stochastic_mxfp4, nearest_mxfp4, nearest_nvfp4
// Equals mx::quantize_block, after mx::rotate (tests/kernels/quantize/quantize_test.cpp,
// rotate_test.cpp).
#pragma once
#include "quantize/mxfp4_rows.h"
#include "quantize/wide_piece.h"

namespace mx::kernels {

inline constexpr int wide_threads = 256;
inline constexpr int wide_pieces = pieces_a_thread * wide_threads;  // of a block of threads

/// Codes of a thread's piece, the first element's in the low bits, and its block's scale.
struct piece_codes {
  std::uint32_t codes, scale;
};

struct unchanged {
  template <class Thread>
  MX_HD void operator()(const Thread&, wide_piece&) const noexcept {}
};

/// MXFP4 by a power-of-two rule, ties to even.
struct nearest_mxfp4 {
  static constexpr int block_pieces = 4;
  struct drawn {};
  scale_step step;

  template <class Thread>
  [[nodiscard]] MX_HD drawn draw(const Thread&, std::uint64_t, std::uint64_t) const noexcept {
    return {};
  }
  template <int I, class Thread>
  [[nodiscard]] MX_HD piece_codes codes_of(const Thread& self, const wide_piece& x,
                                           const drawn&) const noexcept {
    piece narrow;
    for (int i = 0; i < piece_elements / 2; ++i) {
      narrow.pair[i] = pairs::rounded_to_odd(bits_of(x.x[2 * i]), bits_of(x.x[2 * i + 1]));
    }
    const quarter_block own = quarter_block_of(self, narrow, step);
    return {own.codes, own.scale};
  }
};

/// A piece before its codes are computed.
///   I  the thread's piece: a constant, so that no piece has to be stored in memory
template <int I, class Change, class Coder, class Thread>
MX_HD void quantize_wide_piece(const Thread& self, const row_pieces& to, const Change& change,
                               const Coder& coder, const typename Coder::drawn& drawn,
                               std::uint64_t number, wide_piece x) {
  change(self, x);
  const piece_codes own = coder.template codes_of<I>(self, x, drawn);
  if (number >= to.pieces) return;
  to.codes[number] = own.codes;
  if (number % Coder::block_pieces == 0) {
    to.scales[to.place(number / Coder::block_pieces)] = static_cast<std::uint8_t>(own.scale);
  }
}

/// Thread t of a block of threads processes pieces t and t + 256 of its 512.
/// A coder has
///   block_pieces                        of a block: 2 or 4, one each of as many adjacent threads
///   drawn = draw(self, first, second)   its inputs beside the elements
///   codes_of<I>(self, x, drawn)         of the thread's piece I; called by all threads of a warp
template <number_type Type, class Change, class Coder, class Thread>
MX_HD void quantize_wide_rows(const Thread& self, const row_pieces& to, const Change& change,
                              const Coder& coder) {
  const std::uint64_t first = self.block() * wide_pieces + static_cast<std::uint64_t>(self.index());
  const std::uint64_t second = first + wide_threads;
  stored_piece<Type> x = {}, y = {};
  if (first < to.pieces) x = stored_piece_at<Type>(to.from.at<Type>(first));
  if (second < to.pieces) y = stored_piece_at<Type>(to.from.at<Type>(second));
  const typename Coder::drawn drawn = coder.draw(self, first, second);
  quantize_wide_piece<0>(self, to, change, coder, drawn, first, widened(x));
  quantize_wide_piece<1>(self, to, change, coder, drawn, second, widened(y));
}

}  // namespace mx::kernels
