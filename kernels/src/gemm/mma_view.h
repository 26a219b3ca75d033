// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/mma_view.h: a thread's view of a stage of gemm_mxfp4_mma: codes as mma.sync
// takes them, factors of the rows and columns of its sums, and bounds of their scales.
#pragma once
#include "gemm/aligned.h"
#include "gemm/fragment.h"
#include "gemm/mma_stage.h"
#include "gemm/mma_sums.h"

namespace mx::kernels {

/// First row and column of a warp's part of D.
struct warp_place {
  std::int64_t tile_row, tile_column;  ///< of the block of threads
  int row, column;                     ///< relative to them

  [[nodiscard]] static MX_HD warp_place of(std::uint64_t block, int warp,
                                           const mma_arguments& to) noexcept {
    const std::int64_t tiles_across = to.b.lines / mma_tile;
    const auto tile = static_cast<std::int64_t>(block);
    return {tile / tiles_across * mma_tile, tile % tiles_across * mma_tile, warp % 2 * warp_rows,
            warp / 2 * warp_columns};
  }
};

/// Bounds of the scale codes of a warp's rows and columns in a step.
struct step_bounds {
  code_bounds rows, columns;

  [[nodiscard]] static MX_HD step_bounds of(const mma_arguments& to, const warp_place& at,
                                            std::int64_t step) noexcept {
    if (step >= to.a.steps) return {};
    return {to.a.bounds_of(step, at.tile_row + at.row, warp_rows),
            to.b.bounds_of(step, at.tile_column + at.column, warp_columns)};
  }
};

template <dot_model M>
class stage_view {
 public:
  MX_HD stage_view(const mma_stage<M>& stage, const warp_place& at, int lane) noexcept
      : stage_(stage), at_(at), lane_(lane) {}

  /// Codes of 32 of k: of the 16 rows of fragments i, and of the 16 columns of fragments 2 j, 2 j +
  /// 1.
  [[nodiscard]] MX_HD quad_word codes_of_rows(int i, int half) const noexcept {
    return codes(0, at_.row + i * 16, half);
  }
  [[nodiscard]] MX_HD quad_word codes_of_columns(int j, int half) const noexcept {
    return codes(1, at_.column + j * 16, half);
  }

  /// One word of that: of fragment j, of 16 of k.
  [[nodiscard]] MX_HD std::uint32_t word_of_column(int j, int half, int quarter) const noexcept {
    const int line = at_.column + j / 2 * 16;
    return stage_.codes[1][line / tile_lines][half][lane_ * 4 + j % 2 + 2 * quarter];
  }

  [[nodiscard]] MX_HD row_factors rows(int block, int i) const noexcept {
    const float* factors = stage_.factors[0][block] + at_.row + i * 16 + lane_ / 4;
    return {{row_factor::of(factors[0]), row_factor::of(factors[8])}};
  }
  [[nodiscard]] MX_HD column_factors columns(int block, int j) const noexcept {
    const float* factors = stage_.factors[1][block] + at_.column + j * 8 + lane_ % 4 * 2;
    return {{factors[0], factors[1]}};
  }

 private:
  [[nodiscard]] MX_HD quad_word codes(int side, int line, int half) const noexcept {
    return reinterpret_cast<const quad_word*>(stage_.codes[side][line / tile_lines][half])[lane_];
  }

  const mma_stage<M>& stage_;
  const warp_place& at_;
  int lane_;
};

/// The operands of a step for a fragment of D.
template <dot_model M>
struct fragment_operands {
  static constexpr int blocks = gemm_step / M.block;

  quad_word a[2];
  std::uint32_t b[2][2];  ///< for each half the two words of its 32 of k
  row_factors rows[blocks];
  column_factors columns[blocks];

  [[nodiscard]] static MX_HD fragment_operands of(const stage_view<M>& view, int i,
                                                  int j) noexcept {
    fragment_operands operands;
    unrolled<2>([&](int half) {
      operands.a[half] = view.codes_of_rows(i, half);
      unrolled<2>([&](int q) { operands.b[half][q] = view.word_of_column(j, half, q); });
    });
    unrolled<blocks>([&](int block) {
      operands.rows[block] = view.rows(block, i);
      operands.columns[block] = view.columns(block, j);
    });
    return operands;
  }

  /// Sums of groups of 16 or of 32, and for blocks the sums that are zero if all products are.
  template <int Groups, class Thread>
  MX_HD void multiply(const Thread& self, std::int32_t start,
                      std::int32_t (&sum)[Groups][4]) const noexcept {
    unrolled<Groups>([&](int g) {
      if constexpr (Groups == 2) {
        self.mma_k32(sum[g], a[g].word, b[g][0], b[g][1], start);
      } else {
        const std::uint32_t(&word)[4] = a[g / 2].word;
        self.mma_k16(sum[g], word[g % 2 * 2], word[g % 2 * 2 + 1], b[g / 2][g % 2], start);
      }
    });
  }
  template <class Thread>
  MX_HD void multiply_any(const Thread& self, std::int32_t (&any)[blocks][4]) const noexcept {
    unrolled<blocks>([&](int block) {
      if constexpr (M.block == 32) {
        self.any_k32(any[block], a[block].word, b[block][0], b[block][1]);
      } else {
        const std::uint32_t(&word)[4] = a[block / 2].word;
        const int first = block % 2 * 2;
        self.any_k16(any[block], word[first], word[first + 1], b[block / 2][block % 2]);
      }
    });
  }

  /// The terms of sum r of the fragment.
  template <group_cut Cut>
  [[nodiscard]] MX_HD step_terms<M, Cut> terms(
      const std::int32_t (&sum)[step_terms<M, Cut>::groups][4],
      const std::int32_t (&any)[blocks][4], int r) const noexcept {
    step_terms<M, Cut> made;
    unrolled<step_terms<M, Cut>::groups>([&](int g) { made.sum[g] = sum[g][r]; });
    unrolled<blocks>([&](int block) {
      made.any[block] = any[block][r];
      made.row[block] = rows[block].of[r / 2];
      made.column[block] = columns[block].of[r % 2];
    });
    return made;
  }
};

}  // namespace mx::kernels
