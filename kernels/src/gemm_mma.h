// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm_mma.h: products of E2M1 blocks on tensor cores that multiply bytes, exactly; scales
// and sums in FP32 registers. Equals mx::gemm_element (tests/kernels/gemm_test.cpp).
//
// A block of threads takes 128 rows and 128 columns of D, each of its 8 warps 64 rows and 32 columns: 64
// sums a thread. Steps of 64 of k wait in shared memory, loaded asynchronously two steps ahead. What the
// fast steps cannot do the core does, element by element; D is right either way.
// Instructions of a warp for one mma (4096 products, 4 sums a thread), counted in code for sm_90a:
//   fp32.sequential   1 IMMA, 8 FFMA, 0.5 FMUL, 0.9 LDS and some moves: about 12
//   blackwell.mxf4    1 IMMA, 6 FFMA, 2.5 FMUL, 2 FADD, 4 of integers for fused_window, 1 LDS, 3 moves: 19
// At one instruction a clock and quarter of a multiprocessor that bounds 4 * 4096 / 12 products a clock:
// on 132 multiprocessors of 1.7 GHz some 610 and 380 TOP/s. Not run on its hardware, and not measured.
#pragma once
#include "gemm_mma_stage.h"
#include "gemm_mma_sums.h"

namespace mx::kernels {

/// Where a warp's part of D begins.
struct warp_place {
  std::int64_t tile_row, tile_column;  ///< of the block of threads
  int row, column;                     ///< from there on

  [[nodiscard]] static MX_HD warp_place of(std::uint64_t block, int warp,
                                           const mma_arguments& to) noexcept {
    const std::int64_t tiles_across = to.b.lines / mma_tile;
    const auto tile = static_cast<std::int64_t>(block);
    return {tile / tiles_across * mma_tile, tile % tiles_across * mma_tile, warp % 2 * warp_rows,
            warp / 2 * warp_columns};
  }
};

template <dot_model M, class Thread>
class mma_tile_of_d {
 public:
  static constexpr int blocks = gemm_step / M.block;
  using sums = thread_sums<M>;

  MX_HD mma_tile_of_d(const Thread& self, const mma_arguments& to) noexcept
      : self_(self),
        to_(to),
        stages_(self.template shared<mma_stage<M>>()),
        at_(warp_place::of(self.block(), self.index() / 32, to)),
        start_(self.unknown(static_cast<std::int32_t>(bits_of_no_sum))),
        loads_(self, to, at_.tile_row, at_.tile_column),
        sums_(to.product, at_.tile_row + at_.row, at_.tile_column + at_.column, lane()) {}

  MX_HD void run() noexcept {
    for (int stage = 0; stage < mma_stages - 1; ++stage) loads_.begin(stages_, stage);
    sums_.begin();
    if constexpr (is_fused(M)) bound_ = sums_.largest();
    next_ = bounds_of(0);
    for (std::int64_t step = 0; step < to_.a.steps; ++step) {
      self_.template wait_for_copies<mma_stages - 2>();
      self_.barrier();
      // Over the step before this one, which all warps have behind them.
      loads_.begin(stages_, step + mma_stages - 1);
      const step_bounds bounds = next_;
      next_ = bounds_of(step + 1);
      compute(step, bounds);
    }
    sums_.store();
  }

 private:
  using quad = quad_word;

  /// Of the scale codes of the warp's rows and columns in a step.
  struct step_bounds {
    code_bounds rows, columns;
  };

  [[nodiscard]] MX_HD int lane() const noexcept { return self_.index() % 32; }
  [[nodiscard]] MX_HD int row_of(int i, int r) const noexcept {
    return at_.row + i * 16 + r / 2 * 8 + lane() / 4;
  }
  [[nodiscard]] MX_HD int column_of(int j, int r) const noexcept {
    return at_.column + j * 8 + lane() % 4 * 2 + r % 2;
  }

  [[nodiscard]] MX_HD quad fragment(const mma_stage<M>& stage, int side, int line,
                                    int half) const noexcept {
    return reinterpret_cast<const quad*>(stage.codes[side][line / tile_lines][half])[lane()];
  }

  [[nodiscard]] MX_HD step_bounds bounds_of(std::int64_t step) const noexcept {
    if (M.block == 16 || step >= to_.a.steps) return {};
    return {bounds_at(to_.a, step, at_.tile_row + at_.row, warp_rows),
            bounds_at(to_.b, step, at_.tile_column + at_.column, warp_columns)};
  }
  [[nodiscard]] static MX_HD code_bounds bounds_at(const prepared_lines& of, std::int64_t step,
                                                   std::int64_t line, int count) noexcept {
    code_bounds bounds;
    for (int i = 0; i < count; i += group_lines) {
      const std::uint32_t word = *of.bounds_of(step, line + i);
      bounds = bounds.with({static_cast<int>(word & 0xFF), static_cast<int>(word >> 8)});
    }
    return bounds;
  }

  MX_HD void compute(std::int64_t step, const step_bounds& bounds) noexcept {
    const mma_stage<M>& stage = stages_[step % mma_stages];
    if constexpr (is_fused(M)) {
      add_fused(stage, step, bounds);
    } else if constexpr (M.block == 16) {
      add_sixteens(stage);
    } else {
      add_thirty_twos(stage, step, bounds);
    }
  }

  /// Sums of 32 of k of a fragment of D, added to the bits of 1.5.
  MX_HD void products_of_32(std::int32_t (&sum)[4], const quad& a, const quad& b,
                            int j) const noexcept {
    self_.mma_k32(sum, a.word, b.word[j % 2], b.word[j % 2 + 2], start_);
  }

  /// A block beyond k is none: it would make +0 of a sum that has underflowed to -0.
  MX_HD void add_thirty_twos(const mma_stage<M>& stage, std::int64_t step,
                             const step_bounds& bounds) noexcept {
    unrolled<2>([&](int half) {
      const std::int64_t first = step * gemm_step + half * 32;
      if (first >= to_.product.shape.k) return;
      if (bounds.rows.high > largest_row_code) {
        sums_.add_all_by_core(first, 32);
      } else {
        add_half(stage, half);
      }
    });
  }

  /// Factors of one block of k: of the warp's columns that this thread has sums of, and of two rows.
  struct column_factors {
    float of[sums::across][2];
  };
  struct row_factors {
    row_factor of[2];
  };
  [[nodiscard]] MX_HD column_factors columns_of(const mma_stage<M>& stage,
                                                int block) const noexcept {
    column_factors columns;
    unrolled<sums::across * 2>([&](int i) {
      columns.of[i / 2][i % 2] = stage.factors[1][block][column_of(i / 2, i % 2)];
    });
    return columns;
  }
  [[nodiscard]] MX_HD row_factors rows_of(const mma_stage<M>& stage, int block,
                                          int i) const noexcept {
    const float* factors = stage.factors[0][block];
    return {{row_factor::of(factors[row_of(i, 0)]), row_factor::of(factors[row_of(i, 2)])}};
  }

  MX_HD void add_half(const mma_stage<M>& stage, int half) noexcept {
    const column_factors columns = columns_of(stage, half);
    quad b[sums::across / 2];
    unrolled<sums::across / 2>(
        [&](int j) { b[j] = fragment(stage, 1, at_.column + j * 16, half); });
    unrolled<sums::down>([&](int i) {
      const quad a = fragment(stage, 0, at_.row + i * 16, half);
      const row_factors rows = rows_of(stage, half, i);
      unrolled<sums::across>([&](int j) {
        std::int32_t sum[4];
        products_of_32(sum, a, b[j / 2], j);
        add_block(rows, columns, i, j, sum);
      });
    });
  }

  /// NVFP4: blocks of 16, whose scales have no extremes.
  MX_HD void add_sixteens(const mma_stage<M>& stage) noexcept {
    unrolled<blocks>([&](int block) {
      const int half = block / 2, first = block % 2 * 2;
      const column_factors columns = columns_of(stage, block);
      unrolled<sums::down>([&](int i) {
        const quad a = fragment(stage, 0, at_.row + i * 16, half);
        const row_factors rows = rows_of(stage, block, i);
        unrolled<sums::across>([&](int j) {
          const quad b = fragment(stage, 1, at_.column + j / 2 * 16, half);
          std::int32_t sum[4];
          self_.mma_k16(sum, a.word[first], a.word[first + 1], b.word[j % 2 + first], start_);
          add_block(rows, columns, i, j, sum);
        });
      });
    });
  }

  MX_HD void add_block(const row_factors& rows, const column_factors& columns, int i, int j,
                       const std::int32_t (&sum)[4]) noexcept {
    unrolled<4>([&](int r) {
      float& acc = sums_.of(i, j, r);
      acc = sequential_step(acc, sum[r], rows.of[r / 2], columns.of[j][r % 2]);
    });
  }

  /// Two blocks of k, their fragments and factors in registers.
  MX_HD void add_fused(const mma_stage<M>& stage, std::int64_t step,
                       const step_bounds& bounds) noexcept {
    const fused_window whole = window_of(bounds.rows, bounds.columns);
    const fused_window window = whole.below(bound_);
    const column_factors columns[2] = {columns_of(stage, 0), columns_of(stage, 1)};
    quad b[2][sums::across / 2];
    unrolled<sums::across>(
        [&](int i) { b[i % 2][i / 2] = fragment(stage, 1, at_.column + i / 2 * 16, i % 2); });
    std::uint32_t rare = 0;
    unrolled<sums::down>([&](int i) {
      const quad a[2] = {fragment(stage, 0, at_.row + i * 16, 0),
                         fragment(stage, 0, at_.row + i * 16, 1)};
      const row_factors rows[2] = {rows_of(stage, 0, i), rows_of(stage, 1, i)};
      unrolled<sums::across>([&](int j) {
        std::int32_t sum[2][4];
        unrolled<2>([&](int half) { products_of_32(sum[half], a[half], b[half][j / 2], j); });
        const bool added = add_fused_fragment(rows, columns, window, i, j, sum);
        rare |= static_cast<std::uint32_t>(!added) << (i * sums::across + j);
      });
    });
    if (rare != 0) sums_.add_by_core(rare, step * gemm_step, gemm_step);
    // Cut toward zero, a sum is at most as large as its parts; rounded to nearest, the bound is at least
    // what that cuts to.
    bound_ = whole.least == fused_window::every_sum ? sums_.largest() : bound_ + whole.growth;
  }

  /// Adds a step to a fragment, unless one of its sums needs the core: then to none of them.
  [[nodiscard]] MX_HD bool add_fused_fragment(const row_factors (&rows)[2],
                                              const column_factors (&columns)[2],
                                              const fused_window& window, int i, int j,
                                              const std::int32_t (&sum)[2][4]) noexcept {
    bool is_rare = false;
    float step[4];
    unrolled<4>([&](int r) {
      is_rare = is_rare || window.needs_core(sums_.of(i, j, r));
      const std::int32_t both[2] = {sum[0][r], sum[1][r]};
      const row_factor row[2] = {rows[0].of[r / 2], rows[1].of[r / 2]};
      const float column[2] = {columns[0].of[j][r % 2], columns[1].of[j][r % 2]};
      step[r] = fused_sum(both, row, column);
    });
    if (is_rare) return false;
    unrolled<4>([&](int r) {
      float& acc = sums_.of(i, j, r);
      acc = added_toward_zero(acc, step[r]);
    });
    return true;
  }

  const Thread& self_;
  const mma_arguments& to_;
  mma_stage<M>* stages_;
  warp_place at_;
  std::int32_t start_;  ///< of integer sums; a constant would be moved into place for each of them
  stage_loads<M, Thread> loads_;
  sums sums_;
  step_bounds next_;
  float bound_ = 0;  ///< no sum of this thread is larger
};

/// Block b of all takes tile b of D, row of tiles after row of tiles.
template <dot_model M, class Thread>
MX_HD void gemm_mxfp4_mma(const Thread& self, const mma_arguments& to) {
  mma_tile_of_d<M, Thread>(self, to).run();
}

}  // namespace mx::kernels
