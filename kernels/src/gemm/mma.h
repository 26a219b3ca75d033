// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/mma.h: products of E2M1 blocks on tensor cores that multiply bytes, exactly;
// scales and sums in FP32 registers. Equals mx::gemm_element (tests/kernels/gemm/gemm_test.cpp).
//
// A block of threads computes 128 rows and 128 columns of D, each of its 8 warps 64 rows and 32
// columns: 64 sums a thread. Steps of 64 of k are staged in shared memory, loaded asynchronously
// two steps ahead. What the fast steps do not support the aligned steps do, two fragments at a
// time, and what those do not is left to gemm/rest.h; D is correct on every path.
// Instructions of a step are counted in kernels/README.md. Not run on its hardware, and not
// measured.
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
        part_(mma_arguments::part_of(self.index() / 32)),
        start_(self.unknown(static_cast<std::int32_t>(bits_of_no_sum))),
        loads_(self, to, to.tile_at(self.block())),
        sums_(to.product, to.warp_at(self.block(), self.index() / 32), lane()) {}

  MX_HD void run() noexcept {
    for (int stage = 0; stage < mma_stages - 1; ++stage) loads_.begin(stages_[stage]);
    sums_.begin();
    if constexpr (is_fused(M)) bound_ = sums_.largest();
    const auto steps = static_cast<int>(to_.a.steps);
    int stage = 0, free_stage = mma_stages - 1;
    for (int step = 0; step < steps; ++step) {
      self_.template wait_for_copies<mma_stages - 2>();
      self_.barrier();
      // Overwrites the stage of the previous step, which all warps have finished.
      loads_.begin(stages_[free_stage]);
      compute(stage_view<M>(stages_[stage], part_, lane()));
      free_stage = stage;
      stage = stage + 1 < mma_stages ? stage + 1 : 0;
    }
    if (has_extremes_) sums_.leave_not_finite();
    to_.left[self_.block() * mma_threads + static_cast<std::uint64_t>(self_.index())] =
        sums_.store();
  }

 private:
  [[nodiscard]] MX_HD int lane() const noexcept { return self_.index() % 32; }

  MX_HD void compute(const stage_view<M>& view) noexcept {
    if constexpr (is_fused(M)) {
      bound_ = fused_steps<M, Thread>(self_, sums_, start_).add(view, bound_);
    } else if constexpr (M.block == 16) {
      add_sixteens(view);
    } else {
      // A row's factor above the largest code is Inf, and its sums are not finite from here on.
      has_extremes_ |= view.bounds().rows.high > largest_row_code;
      unrolled<2>([&](int half) { add_half(view, half); });
    }
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
    unrolled<sums::across / 2>([&](int p) { b[p] = view.codes_of_columns(p, half); });
    unrolled<sums::down>([&](int i) {
      const quad_word a = view.codes_of_rows(i, half);
      const row_factors rows = view.rows(half, i);
      unrolled<sums::across>([&](int j) {
        fragment_sums<> sum;
        const std::uint32_t* words = b[j / 2].word + j % 2 * 2;
        self_.mma_k32(sum.of, a.word, words[0], words[1], start_);
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
          self_.mma_k16(sum.of, a.word[first], a.word[first + 1], b.word[j % 2 * 2 + block % 2],
                        start_);
          add_to_fragment(sums_.of(i, j), sum, rows, columns.of[j]);
        });
      });
    });
  }

  const Thread& self_;
  const mma_arguments& to_;
  mma_stage<M>* stages_;
  warp_part part_;
  std::int32_t start_;  ///< of integer sums; a constant would be moved into a register for each
  stage_loads<M, Thread> loads_;
  sums sums_;
  float bound_ = 0;            ///< upper bound of this thread's sums
  bool has_extremes_ = false;  ///< whether a row had a scale above largest_row_code
};

/// Block b of the grid computes one tile of D.
template <dot_model M, class Thread>
MX_HD void gemm_mxfp4_mma(const Thread& self, const mma_arguments& to) {
  mma_tile_of_d<M, Thread>(self, to).run();
}

}  // namespace mx::kernels
