// SPDX-License-Identifier: Apache-2.0
// kernels/src/quantize/mxfp4_rows.h: MXFP4 along the rows of a matrix whose rows are whole blocks,
// with a power-of-two rule and ties to even. A thread quantizes two pieces of eight elements, four
// threads a block: all loads of a warp touch one contiguous range of memory, each of 16 bytes, and
// a thread issues all of its own before it uses one: 64 KiB of BF16, 128 KiB of FP32 in flight for
// 2048 threads. Equals mx::quantize_block (tests/kernels/verify/backends_test.cpp).
#pragma once
#include "quantize/mxfp4_pairs.h"
#include "quantize/row_gaps.h"

namespace mx::kernels {

/// Rows as pieces of eight elements, and their codes and scales.
///   codes  4-byte aligned
struct row_pieces {
  piece_source from;
  std::uint64_t pieces = 0;
  scale_place_of place;
  std::uint32_t* codes = nullptr;
  std::uint8_t* scales = nullptr;
};

/// Four pieces a block.
struct mxfp4_rows_arguments : row_pieces {
  scale_step step;
};

inline constexpr int mxfp4_rows_threads = 256;
inline constexpr int pieces_a_thread = 2;
inline constexpr int mxfp4_rows_pieces =
    pieces_a_thread * mxfp4_rows_threads;  // of a block of threads
inline constexpr std::uint32_t largest_finite_bfloat16 = 0x7F7F;

/// Codes of a piece, the first element's in the low bits.
[[nodiscard]] MX_HD inline std::uint32_t codes_of(const piece& x,
                                                  std::uint32_t reciprocals) noexcept {
  std::uint32_t codes = 0;
  for (int i = 0; i < 4; ++i) {
    codes |= packed_codes_of(x.pair[i], reciprocals) << (8 * i);
  }
  return codes;
}

/// A thread's results for its block: the codes of its own eight elements, and the scale.
struct quarter_block {
  std::uint32_t codes, scale;
};

/// Four adjacent threads share a block; called by all threads of the warp.
template <class Thread>
[[nodiscard]] MX_HD quarter_block quarter_block_of(const Thread& self, const piece& x,
                                                   const scale_step& step) noexcept {
  const std::uint32_t amax = largest_of_adjacent<4>(self, amax_of(x));
  if (amax > largest_finite_bfloat16) return {0, e8m0::nan().code};
  const std::uint32_t scale = scale_code_of(step, amax);
  return {codes_of(x, reciprocals_of(scale)), scale};
}

/// Called by all threads of the warp.
template <class Thread>
MX_HD void quantize_piece(const Thread& self, const mxfp4_rows_arguments& to, std::uint64_t number,
                          const piece& x) noexcept {
  const quarter_block own = quarter_block_of(self, x, to.step);
  if (number >= to.pieces) return;
  to.codes[number] = own.codes;
  if (number % 4 == 0) to.scales[to.place(number / 4)] = static_cast<std::uint8_t>(own.scale);
}

/// Thread t of a block of threads quantizes pieces t and t + 256 of its 512.
template <number_type Type, class Thread>
MX_HD void quantize_mxfp4_rows(const Thread& self, const mxfp4_rows_arguments& to) {
  const std::uint64_t first =
      self.block() * mxfp4_rows_pieces + static_cast<std::uint64_t>(self.index());
  const std::uint64_t second = first + mxfp4_rows_threads;
  stored_piece<Type> x = {}, y = {};
  if (first < to.pieces) x = stored_piece_at<Type>(to.from.at<Type>(first));
  if (second < to.pieces) y = stored_piece_at<Type>(to.from.at<Type>(second));
  quantize_piece(self, to, first, narrowed(x));
  quantize_piece(self, to, second, narrowed(y));
}

}  // namespace mx::kernels
