// SPDX-License-Identifier: Apache-2.0
// kernels/src/decompose/mxfp4_stage.h: eight MXFP4 blocks of one share of energies in shared
// memory: how they are copied, and the values found per block before its elements are measured.
#pragma once
#include "decompose/mxfp4_block.h"
#include "input_pairs.h"
#include "unrolled.h"

namespace mx::kernels {

/// Each block in matrix order, followed by a gap of one piece, so that equal pieces of all blocks
/// share no bank. The trailing gap does the same for simultaneous reads by the shares of a warp.
/// All zero if the share has no block.
template <number_type Type>
struct mxfp4_stage {
  static constexpr int blocks = 8, threads = 8;
  static constexpr int element_bytes = Type == number_type::fp32 ? 4 : 2;
  static constexpr int block_pieces = mxfp4::size * element_bytes / 16;
  static constexpr int pitch = block_pieces + 1;
  quad_word piece[blocks * pitch + block_pieces / 2];

  /// Place of the i-th piece of a thread; in the matrix it is piece threads * i + thread.
  [[nodiscard]] static MX_HD constexpr int place_of(int i, int thread) noexcept {
    return thread / block_pieces * pitch + thread % block_pieces +
           i * (threads / block_pieces * pitch);
  }
};

/// Words of 16 bytes of a matrix with gaps between its rows, from word `first` on, gaps not
/// counted.
template <number_type Type>
struct gapped_quads {
  const quad_word* x;
  const row_gaps& gaps;
  std::uint64_t first;

  [[nodiscard]] MX_HD const quad_word& operator[](int i) const noexcept {
    const std::uint64_t quad = first + static_cast<std::uint64_t>(i);
    return x[quad + gaps.row_of.of(quad / quads_a_piece<Type>) * gaps.quads];
  }
};

/// Starts the copy of a thread's pieces of a stage; the copies are waited for later.
///   from   from[i] is the word i words of 16 bytes after the first
///   count  blocks that exist
template <number_type Type, class From, class Thread>
MX_HD void fetch(const Thread& self, const From& from, int count, int thread,
                 mxfp4_stage<Type>& into) noexcept {
  using stage = mxfp4_stage<Type>;
  if (count >= stage::blocks) {
    unrolled<stage::block_pieces>([&](int i) {
      self.copy_later(&into.piece[stage::place_of(i, thread)], &from[i * stage::threads]);
    });
  } else {
    for (int i = 0; i < stage::block_pieces; ++i) {
      const bool is_there = i * stage::threads + thread < count * stage::block_pieces;
      into.piece[stage::place_of(i, thread)] = is_there ? from[i * stage::threads] : quad_word{};
    }
  }
  self.commit_copies();
}

/// The largest magnitude in words of elements, word by word: no dependency between words.
template <number_type Type>
struct largest_words {
  std::uint32_t word[4] = {};

  MX_HD void take(const quad_word& piece) noexcept {
    for (int i = 0; i < 4; ++i) {
      word[i] = Type == number_type::fp32
                    ? bits_of(larger_magnitude(float_of(word[i]), float_of(piece.word[i])))
                    : pairs::larger(word[i], piece.word[i] & pairs::magnitudes);
    }
  }

  /// As bits of a binary32 number; above 0x7F7FFFFF if an element is special.
  [[nodiscard]] MX_HD std::uint32_t of_all() const noexcept {
    if constexpr (Type == number_type::fp32) {
      const float low = larger_magnitude(float_of(word[0]), float_of(word[1]));
      return bits_of(larger_magnitude(low, larger_magnitude(float_of(word[2]), float_of(word[3]))));
    } else {
      const std::uint32_t pair =
          pairs::larger(pairs::larger(word[0], word[1]), pairs::larger(word[2], word[3]));
      const std::uint32_t low = pair & 0xFFFF, high = pair >> 16;
      const std::uint32_t code = low > high ? low : high;
      return Type == number_type::bf16 ? code << 16 : bits_of(pairs::widened_binary16(code));
    }
  }
};

inline constexpr std::uint32_t largest_finite_binary32 = 0x7F7FFFFF;

/// Comparison values of a block's elements. A special block's elements become zero.
template <number_type Type>
[[nodiscard]] MX_HD mxfp4_figures<Type> found(const scale_step& step, int block,
                                              mxfp4_stage<Type>& stage,
                                              std::uint32_t& special) noexcept {
  quad_word* pieces = &stage.piece[block * mxfp4_stage<Type>::pitch];
  largest_words<Type> largest;
  for (int i = 0; i < mxfp4_stage<Type>::block_pieces; ++i) largest.take(pieces[i]);
  const std::uint32_t amax = largest.of_all();
  if (amax <= largest_finite_binary32) return figures_of<Type>(amax, step);
  ++special;
  for (int i = 0; i < mxfp4_stage<Type>::block_pieces; ++i) pieces[i] = {};
  return {};
}

/// A thread's magnitudes of a block: the first elements of its two lanes, then the second ones.
struct block_magnitudes {
  float x[4];
};

template <number_type Type>
[[nodiscard]] MX_HD block_magnitudes magnitudes_of(const mxfp4_stage<Type>& stage, int block,
                                                   int thread) noexcept {
  constexpr int words = mxfp4_stage<Type>::element_bytes / 2;  // of two lanes
  const std::uint32_t* first = stage.piece[block * mxfp4_stage<Type>::pitch].word + words * thread;
  block_magnitudes result;
  for (int half = 0; half < 2; ++half) {
    const std::uint32_t* word = first + half * words * mxfp4_stage<Type>::threads;
    float* x = &result.x[2 * half];
    if constexpr (Type == number_type::fp32) {
      x[0] = float_of(word[0] & 0x7FFFFFFF), x[1] = float_of(word[1] & 0x7FFFFFFF);
    } else if constexpr (Type == number_type::bf16) {
      x[0] = float_of(*word << 16 & 0x7FFF0000), x[1] = float_of(*word & 0x7FFF0000);
    } else {
      x[0] = pairs::widened_binary16(*word & 0x7FFF);
      x[1] = pairs::widened_binary16(*word >> 16 & 0x7FFF);
    }
  }
  return result;
}

/// Cut to at most 11 bits, as 16-bit types have them.
template <number_type Type>
[[nodiscard]] MX_HD inline float cut_magnitude(float magnitude) noexcept {
  return Type == number_type::fp32 ? float_of(bits_of(magnitude) & 0xFFFF0000) : magnitude;
}

}  // namespace mx::kernels
