// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/native_lines.h: a factor of a product as Blackwell's own FP4 instructions read
// it: codes two a byte and scales, both unchanged, in pieces of 128 of k that are contiguous in
// memory, so that a stage of shared memory is one copy.
// Source: PTX ISA, "Matrix Fragments for mma.m16n8k64"; "tcgen05, Shared memory layout and
// swizzling" (K-major, no swizzling); scales in tensor memory: mx/tensor/layout.h, 128x4.
//
// Codes of a step of 64 of k, in words of eight: word w of line l has k 8w to 8w + 7.
//   fragments      (16 lines, lane 4g + t) -> four consecutive words: line g, word t; line g + 8,
//                  word t; line g, word 4 + t; line g + 8, word 4 + t: those of A in mma.m16n8k64;
//                  and, as words 0 and 2, 1 and 3, those of its B for lines 0 to 7 and 8 to 15 of n
//   core_matrices  (8 lines, 16 bytes of k) -> 128 bytes, line after line; the other 16 bytes of k
//                  128 bytes further, the next 8 lines 256 bytes further
// Scales in words of four blocks, the first in the low byte; one word a line for mxf4 and two for
// mxf4nvf4: in the order of lines, or line l of 128 at 4 (l mod 32) + l / 32.
// Lines are padded to whole pieces, k to 128, with codes of 0 under scales of 1: products of +0, as
// mx::dot pads its last step.
#pragma once
#include "gemm/prepare.h"
#include "mx/tensor/layout.h"

namespace mx::kernels {

/// Blackwell's instructions: E2M1 with E8M0 scales of 32, with UE4M3 scales of 16.
enum class native_kind : std::uint8_t { none, mxf4, mxf4nvf4 };

template <native_kind Kind>
inline constexpr dot_model native_model = {};
template <>
inline constexpr dot_model native_model<native_kind::mxf4> = tensor_cores::grouped_f4(formats::e8m0,
                                                                                      32);
template <>
inline constexpr dot_model native_model<native_kind::mxf4nvf4> =
    tensor_cores::grouped_f4(formats::ue4m3, 16);

inline constexpr int native_step = 64;       // k of an instruction
inline constexpr int native_piece_k = 128;   // k of a piece
inline constexpr int native_step_words = 8;  // of a line's codes

/// Words of four scales of a line in a piece.
[[nodiscard]] MX_HD constexpr int native_scale_words(native_kind kind) noexcept {
  return kind == native_kind::mxf4 ? 1 : 2;
}
static_assert(native_scale_words(native_kind::mxf4) * 4 * native_model<native_kind::mxf4>.block ==
              native_piece_k);
static_assert(native_scale_words(native_kind::mxf4nvf4) * 4 *
                  native_model<native_kind::mxf4nvf4>.block ==
              native_piece_k);

enum class native_layout : std::uint8_t { fragments, core_matrices };

template <native_kind Kind, int Lines>
struct native_piece {
  std::uint32_t codes[native_piece_k / native_step][Lines * native_step_words];
  std::uint32_t scales[native_scale_words(Kind)][Lines];
};

/// Index of a word of a line's codes within a step.
[[nodiscard]] MX_HD constexpr int code_place(native_layout layout, int line, int word) noexcept {
  if (layout == native_layout::core_matrices) {
    return line / 8 * 64 + word / 4 * 32 + line % 8 * 4 + word % 4;
  }
  const int lane = line % 8 * 4 + word % 4;
  return line / tile_lines * fragment_words + lane * 4 + line % tile_lines / 8 + word / 4 * 2;
}

/// Index of a line's word of scales among those of all lines.
[[nodiscard]] MX_HD constexpr int scale_word_place(native_layout layout, int lines,
                                                   int line) noexcept {
  if (layout == native_layout::fragments) return line;
  const auto rows = static_cast<std::uint64_t>(lines);
  const auto row = static_cast<std::uint64_t>(line);
  return static_cast<int>(offset(scale_layout::blocked_128x4, rows, 4, row, 0) / 4);
}

///   from   its `to` is not read
///   to     native_piece of a tile after those of the previous tile, along k
struct native_prepare_arguments {
  prepare_arguments from;
  void* to = nullptr;
  std::int64_t lines = 0, pieces = 0;  ///< padded; of a tile
};

/// Four scales of a line, from block `first` on.
template <native_kind Kind>
[[nodiscard]] MX_HD inline std::uint32_t scale_word(const prepare_arguments& p, std::int64_t line,
                                                    std::int64_t first) noexcept {
  constexpr std::uint32_t one = Kind == native_kind::mxf4 ? 0x7F : 0x38;
  std::uint32_t word = 0;
  for (int i = 0; i < 4; ++i) {
    const bool is_there = line < p.lines && first + i < p.product.blocks_a_line;
    const std::uint32_t code =
        is_there ? p.from.scales[line * p.product.blocks_a_line + first + i] : one;
    word |= code << (8 * i);
  }
  return word;
}

/// A thread prepares 128 of k of one line.
template <native_kind Kind, native_layout Layout, int Lines, class Thread>
MX_HD void gemm_native_prepare(const Thread& self, const native_prepare_arguments& p) {
  const auto thread = static_cast<std::int64_t>(self.block()) * prepare_threads + self.index();
  const std::int64_t line = thread % p.lines, number = thread / p.lines;
  if (number >= p.pieces) return;
  const auto within = static_cast<int>(line % Lines);
  auto& piece = static_cast<native_piece<Kind, Lines>*>(p.to)[line / Lines * p.pieces + number];
  for (int i = 0; i < native_piece_k / 32; ++i) {
    const quad_word packed = packed_block(p.from, line, number * native_piece_k + i * 32);
    for (int w = 0; w < 4; ++w) {
      piece.codes[i / 2][code_place(Layout, within, i % 2 * 4 + w)] = packed.word[w];
    }
  }
  constexpr int words = native_scale_words(Kind);
  for (int w = 0; w < words; ++w) {
    piece.scales[w][scale_word_place(Layout, Lines, within)] =
        scale_word<Kind>(p.from, line, (number * words + w) * 4);
  }
}

}  // namespace mx::kernels
