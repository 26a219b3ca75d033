// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/mma.h: products of E2M1 blocks on tensor cores that multiply bytes, exactly;
// scales and sums in FP32 registers. Equals mx::gemm_element (tests/kernels/gemm/gemm_test.cpp).
//
// A block of threads computes 128 rows and 128 columns of D, each of its 8 warps 64 rows and 32
// columns: 64 sums a thread. Steps of 64 of k are staged in shared memory, loaded asynchronously
// two steps ahead. The aligned steps take what the fast steps do not support, two fragments at a
// time, and the core the remainder, element by element; D is correct on every path.
// Instructions of a warp for one mma (4096 products, 4 sums a thread), counted in code for sm_90a:
//   fp32.sequential      1 IMMA, 8 FFMA, 0.5 FMUL, 0.9 LDS and some moves: about 12
//   blackwell.mxf4       1 IMMA, 6 FFMA, 2.5 FMUL, 2 FADD, 4 of integers for fused_window, 1 LDS, 3 moves:
//                        19; for scales spread over the warp, but not within an element, 45;
//                        aligned: 110, and with cut groups 145
//   blackwell.mxf4nvf4   2 IMMA, 12 FFMA, 5 FMUL, 4 FADD, 4 FMNMX, 4 of integers, 4 LDS, 2 moves: 38;
//                        aligned: 175, and with cut groups 200
// At one instruction a clock and quarter of a multiprocessor that bounds 4 * 4096 / 12 products a
// clock: on 132 multiprocessors of 1.7 GHz some 610 and 380 TOP/s, 165 for spread scales, 65 and 50
// for aligned steps; of blackwell.mxf4nvf4 190, 40 and 35. Not run on its hardware, and not measured.
#pragma once
#include "gemm/mma_fused.h"

namespace mx::kernels {

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
      // Overwrites the stage of the previous step, which all warps have finished.
      loads_.begin(stages_, step + mma_stages - 1);
      const step_bounds bounds = next_;
      next_ = bounds_of(step + 1);
      compute(step, bounds);
    }
    sums_.store();
  }

 private:
  [[nodiscard]] MX_HD int lane() const noexcept { return self_.index() % 32; }

  /// Not called if no scale is too large or too small.
  [[nodiscard]] MX_HD step_bounds bounds_of(std::int64_t step) const noexcept {
    return !is_fused(M) && M.block == 16 ? step_bounds{} : step_bounds::of(to_, at_, step);
  }

  MX_HD void compute(std::int64_t step, const step_bounds& bounds) noexcept {
    const stage_view<M> view(stages_[step % mma_stages], at_, lane());
    if constexpr (is_fused(M)) {
      bound_ = fused_steps<M, Thread>(self_, sums_, start_).add(view, bounds, step, bound_);
    } else if constexpr (M.block == 16) {
      add_sixteens(view);
    } else {
      add_thirty_twos(view, step, bounds);
    }
  }

  /// A block beyond k is skipped: it would turn a sum that has underflowed to -0 into +0.
  MX_HD void add_thirty_twos(const stage_view<M>& view, std::int64_t step,
                             const step_bounds& bounds) noexcept {
    unrolled<2>([&](int half) {
      const std::int64_t first = step * gemm_step + half * 32;
      if (first >= to_.product.shape.k) return;
      if (bounds.rows.high > largest_row_code) {
        sums_.add_all_by_core(first, 32);
        self_.warp_barrier();  // lanes have diverged, and mma.sync requires converged warps
      } else {
        add_half(view, half);
      }
    });
  }

  struct all_columns {
    column_factors of[sums::across];
  };
  [[nodiscard]] static MX_HD all_columns columns_of(const stage_view<M>& view, int block) noexcept {
    all_columns columns;
    unrolled<sums::across>([&](int j) { columns.of[j] = view.columns(block, j); });
    return columns;
  }

  MX_HD void add_half(const stage_view<M>& view, int half) noexcept {
    const all_columns columns = columns_of(view, half);
    quad_word b[sums::across / 2];
    unrolled<sums::across / 2>([&](int j) { b[j] = view.codes_of_columns(j, half); });
    unrolled<sums::down>([&](int i) {
      const quad_word a = view.codes_of_rows(i, half);
      const row_factors rows = view.rows(half, i);
      unrolled<sums::across>([&](int j) {
        fragment_sums<> sum;
        self_.mma_k32(sum.of, a.word, b[j / 2].word[j % 2], b[j / 2].word[j % 2 + 2], start_);
        add_to_fragment(sums_.of(i, j), sum, rows, columns.of[j]);
      });
    });
  }

  /// NVFP4: blocks of 16, whose scales have no extremes.
  MX_HD void add_sixteens(const stage_view<M>& view) noexcept {
    unrolled<blocks>([&](int block) {
      const int half = block / 2, first = block % 2 * 2;
      const all_columns columns = columns_of(view, block);
      unrolled<sums::down>([&](int i) {
        const quad_word a = view.codes_of_rows(i, half);
        const row_factors rows = view.rows(block, i);
        unrolled<sums::across>([&](int j) {
          const quad_word b = view.codes_of_columns(j / 2, half);
          fragment_sums<> sum;
          self_.mma_k16(sum.of, a.word[first], a.word[first + 1], b.word[j % 2 + first], start_);
          add_to_fragment(sums_.of(i, j), sum, rows, columns.of[j]);
        });
      });
    });
  }

  const Thread& self_;
  const mma_arguments& to_;
  mma_stage<M>* stages_;
  warp_place at_;
  std::int32_t start_;  ///< of integer sums; a constant would be moved into a register for each
  stage_loads<M, Thread> loads_;
  sums sums_;
  step_bounds next_;
  float bound_ = 0;  ///< upper bound of this thread's sums
};

/// Block b of the grid computes tile b of D, tiles in row-major order.
template <dot_model M, class Thread>
MX_HD void gemm_mxfp4_mma(const Thread& self, const mma_arguments& to) {
  mma_tile_of_d<M, Thread>(self, to).run();
}

}  // namespace mx::kernels
