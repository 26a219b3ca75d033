// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/mma_view.h: a thread's view of a stage of gemm_mxfp4_mma: codes as mma.sync
// takes them, factors of the rows and columns of its sums, and bounds of their scales.
#pragma once
#include "gemm/aligned.h"
#include "gemm/fragment.h"
#include "gemm/mma_stage.h"
#include "gemm/mma_sums.h"

namespace mx::kernels {

/// Bounds of the scale codes of a warp's rows and columns in a step.
struct step_bounds {
  code_bounds rows, columns;
};

template <dot_model M>
class stage_view {
 public:
  MX_HD stage_view(const mma_stage<M>& stage, const warp_part& at, int lane) noexcept
      : stage_(stage), at_(at), lane_(lane) {}

  /// Codes of 32 of k: of the 16 rows of fragments i, and of the 16 columns of fragments 2 p, 2 p
  /// + 1.
  [[nodiscard]] MX_HD const quad_word& codes_of_rows(int i, int half) const noexcept {
    return stage_.a().codes[at_.row / tile_lines + i][half][lane_];
  }
  [[nodiscard]] MX_HD const quad_word& codes_of_columns(int p, int half) const noexcept {
    return stage_.b().codes[at_.column / tile_lines + p][half][lane_];
  }

  [[nodiscard]] MX_HD row_factors rows(int block, int i) const noexcept {
    const std::uint32_t* words = stage_.a().rows(block, at_.row, i / 2, lane_).word + i % 2 * 2;
    return {{row_factor::of(float_of(words[0])), row_factor::of(float_of(words[1]))}};
  }
  [[nodiscard]] MX_HD column_factors columns(int block, int j) const noexcept {
    const std::uint32_t* words =
        stage_.b().columns(block, at_.column, j / 2, lane_).word + j % 2 * 2;
    return {{float_of(words[0]), float_of(words[1])}};
  }

  [[nodiscard]] MX_HD step_bounds bounds() const noexcept {
    const std::uint32_t* rows = stage_.a().bounds + at_.row / group_lines;
    return {bounds_in(rows[0]).with(bounds_in(rows[1])),
            bounds_in(stage_.b().bounds[at_.column / group_lines])};
  }

 private:
  const mma_stage<M>& stage_;
  const warp_part& at_;
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
      const std::uint32_t* b = view.codes_of_columns(j / 2, half).word + j % 2 * 2;
      unrolled<2>([&](int q) { operands.b[half][q] = b[q]; });
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
