// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/mma_panel.h: a factor of a product as gemm_mxfp4_mma loads it: panels of 128
// lines and 64 of k, each as a stage of shared memory holds it, so that a thread's loads are at
// constant distances from one pointer.
//
// Codes as bytes: (tile of 16 lines, half of 32 of k, lane l) -> four words, those of mma.m16n8k32
// (g = l / 4, t = l % 4), so that the words of an instruction are adjacent:
//   A   line g, k 4t to 4t + 3    line g + 8, same k    line g, k 16 + 4t    line g + 8, same k
//   B   line g, k 4t to 4t + 3    line g, k 16 + 4t     line g + 8, k 4t     line g + 8, k 16 + 4t
// Factors: (block, place of line), so that those of two fragments are four words:
//   A   line 32 q + 16 i + 8 h + g at 32 q + 4 g + 2 i + h
//   B   line 16 q + 8 j + 2 t + e at 16 q + 4 t + 2 j + e
// Bounds of scale codes: a word for 32 lines. Panels: (128 lines, step); lines are padded to 128, k
// to 64, with zeros under a factor of 0, or of -0 for columns beyond k of a sum that keeps its
// sign.
#pragma once
#include "gemm/tensor_arguments.h"

namespace mx::kernels {

template <dot_model M>
struct mma_panel {
  static constexpr int blocks = gemm_step / M.block;
  quad_word codes[mma_tile / tile_lines][2][fragment_words / 4];
  quad_word factors[blocks][mma_tile / 4];
  std::uint32_t bounds[mma_tile / group_lines];

  /// Factors of a thread's rows of fragments 2 p and 2 p + 1 of a part that begins at `row`, and of
  /// its columns.
  [[nodiscard]] MX_HD const quad_word& rows(int block, int row, int p, int lane) const noexcept {
    return factors[block][row / 4 + p * 8 + lane / 4];
  }
  [[nodiscard]] MX_HD const quad_word& columns(int block, int column, int p,
                                               int lane) const noexcept {
    return factors[block][column / 4 + p * 4 + lane % 4];
  }
};

[[nodiscard]] MX_HD constexpr std::int64_t bytes_of_panel(int block) noexcept {
  return mma_tile * (gemm_step + gemm_step / block * 4) + mma_tile / group_lines * 4;
}

template <dot_model M>
[[nodiscard]] MX_HD mma_panel<M>* panel_of(const prepared_lines& of, std::int64_t line,
                                           std::int64_t step) noexcept {
  static_assert(sizeof(mma_panel<M>) == bytes_of_panel(M.block));
  return reinterpret_cast<mma_panel<M>*>(of.codes) + line / mma_tile * of.steps + step;
}

/// Index of a line's factor among those of its block.
[[nodiscard]] MX_HD constexpr int panel_place(gemm_side side, int line) noexcept {
  if (side == gemm_side::row) {
    return line / 32 * 32 + line % 8 * 4 + line % 32 / 16 * 2 + line % 16 / 8;
  }
  return line / 16 * 16 + line % 8 / 2 * 4 + line % 16 / 8 * 2 + line % 2;
}

/// Layout in which gemm_prepare stores a factor of a product for mma.sync.
template <dot_model M>
struct panel_layout {
  static constexpr bool folds = false;
  static constexpr bool keeps_signs = M.sum.zero_result == zero_result::of_terms;

  static MX_HD void store_codes(const prepared_lines& to, std::int64_t line, std::int64_t step,
                                int half, gemm_side side, const quad_word& packed) noexcept {
    const auto place = static_cast<int>(line % mma_tile);
    quad_word* lanes = panel_of<M>(to, line, step)->codes[place / tile_lines][half];
    const int first = place % tile_lines / 8;  // of the two words of a line
    for (int i = 0; i < 8; ++i) {
      const std::uint32_t codes = packed.word[i / 2] >> (i % 2 * 16);
      const int word = side == gemm_side::row ? first + i / 4 * 2 : first * 2 + i / 4;
      lanes[place % 8 * 4 + i % 4].word[word] = bytes_of_codes(codes);
    }
  }
  ///   number  of the block of k
  static MX_HD void store_factor(const prepared_lines& to, std::int64_t line, std::int64_t number,
                                 gemm_side side, float factor) noexcept {
    constexpr int blocks = mma_panel<M>::blocks;
    const int place = panel_place(side, static_cast<int>(line % mma_tile));
    panel_of<M>(to, line, number / blocks)->factors[number % blocks][place / 4].word[place % 4] =
        bits_of(factor);
  }
  template <format Scale>
  [[nodiscard]] static MX_HD float factor(gemm_side side, std::uint32_t code) noexcept {
    return factor_of_scale<Scale>(side, code);
  }
  /// 0 times -0 leaves every sum of `fp32.sequential` unchanged, including -0.
  [[nodiscard]] static MX_HD float factor_beyond_k(gemm_side side) noexcept {
    return keeps_signs && side == gemm_side::column ? -0.0F : 0.0F;
  }
  static MX_HD void store_bounds(const prepared_lines& to, std::int64_t line, std::int64_t step,
                                 std::uint32_t bounds) noexcept {
    panel_of<M>(to, line, step)->bounds[line % mma_tile / group_lines] = bounds;
  }
};

}  // namespace mx::kernels
