// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/wgmma.h: products of E2M1 blocks by wgmma, the matrix instruction of four warps
// of sm_90a, exactly; scales and sums in FP32 registers. Equals mx::gemm_element
// (tests/kernels/gemm/gemm_test.cpp).
// Has not run on its hardware.
//
// A block of threads computes 128 rows and 128 columns of D, each of its two warpgroups 64 rows: 64
// sums a thread. The products of a share of a step, 64 columns and a block of k, or 32 columns and
// both blocks if a step adds both at once, are one group of instructions into 32 registers;
// while a share is added, the next one's products run into 32 others. A step whose scales are
// folded into its codes has one factor for 32 columns instead of one a line: gemm/folded_scales.h.
// Instructions of a step are counted in kernels/README.md. Not measured.
#pragma once
#include "gemm/fragment.h"
#include "gemm/mma_sums.h"
#include "gemm/wgmma_stage.h"

namespace mx::kernels {

template <dot_model M, class Products, class Thread>
class wgmma_tile_of_d {
 public:
  static constexpr int blocks = gemm_step / M.block;
  using sums = thread_sums<M, 1, wgmma_columns / 8>;

  MX_HD wgmma_tile_of_d(const Thread& self, const wgmma_arguments& to) noexcept
      : self_(self),
        left_(to.left + self.block() * wgmma_threads + static_cast<std::uint64_t>(self.index())),
        group_(self.uniform(self.index() / 128)),
        loads_(self, to, to.tile_at(self.block())),
        rows_(loads_.rows(group_)),
        columns_(loads_.columns()),
        counts_(to.steps),
        sums_(to.product, to.warp_at(self.block(), self.index() / 32), lane()) {}

  MX_HD void run() noexcept {
    loads_.begin();
    sums_.begin();
    if constexpr (is_fused(M)) bound_ = sums_.largest();
    for (int number = 0; number < loads_.count(); ++number) {
      loads_.load(number + wgmma_ahead);
      const wgmma_stage<M>& stage = loads_.loaded(number);
      unrolled<stage_steps>([&](int i) { add({stage, number, i}); });
      loads_.release(number);
    }
    if (has_extremes_) sums_.leave_not_finite();
    *left_ = sums_.store();
    if constexpr (folds) count_folded();
  }

 private:
  static constexpr int share_columns = is_fused(M) ? 32 : 64;
  static constexpr int shares = (is_fused(M) ? 1 : blocks) * (wgmma_columns / share_columns);
  static constexpr int share_fragments = share_columns / 8;
  static constexpr bool folds = folds_scales<M, Products>;
  using product_sum = typename Products::number;
  using share_sums = product_sum[group_sums];

  /// A step of 64 of k: the i-th of stage `number`.
  struct step {
    const wgmma_stage<M>& stage;
    int number, i;

    [[nodiscard]] MX_HD const wgmma_piece<M>& a(int group) const noexcept {
      return stage.a[group][i];
    }
    [[nodiscard]] MX_HD const wgmma_piece<M>& b(int half) const noexcept {
      return stage.b[half][i];
    }
  };

  /// Factors of a step's rows.
  struct line_factors {
    row_factors rows[blocks];

    MX_HD line_factors(const wgmma_tile_of_d& tile, const step& at) noexcept {
      unrolled<blocks>([&](int block) { rows[block] = tile.rows_of(at, block); });
    }
  };

  /// Of a step whose scales are folded: of the warp's rows and 32 columns each.
  struct common_factors {
    float of[blocks][wgmma_columns / group_lines];

    MX_HD common_factors(const wgmma_tile_of_d& tile, const step& at) noexcept {
      const std::uint32_t* rows = at.a(tile.group_).common.word + tile.warp() / 2 * 2;
      unrolled<blocks>([&](int block) {
        unrolled<wgmma_columns / group_lines>([&](int i) {
          const std::uint32_t column = at.b(i / 2).common.word[i % 2 * 2 + block];
          of[block][i] = float_of(rows[block]) * float_of(column);
        });
      });
    }
  };

  [[nodiscard]] MX_HD int warp() const noexcept { return self_.index() % 128 / 32; }
  [[nodiscard]] MX_HD int lane() const noexcept { return self_.index() % 32; }

  /// What the fast steps cannot add to is left to the core.
  MX_HD void add(const step& at) noexcept {
    if constexpr (is_fused(M)) {
      const code_bounds columns = bounds_of(at.b(0)).with(bounds_of(at.b(1)));
      const fused_window whole = window_of<M.scale>(bounds_of(at.a(group_)), columns);
      if (whole.least == fused_window::every_sum) {
        sums_.leave(sums::all_fragments);
      } else {
        window_ = whole.below(bound_);
        add_shares<line_factors>(at);
        sums_.leave(rare_);
        // As in gemm/mma_fused.h.
        bound_ += whole.growth;
      }
    } else {
      // Beyond the largest code sums are exact or not finite.
      if (M.block == 32) has_extremes_ |= bounds_of(at.a(group_)).high > largest_row_code;
      add_step(at);
    }
  }

  MX_HD void add_step(const step& at) noexcept {
    if constexpr (folds) {
      if (is_folded(at)) {
        folded_ += 1;
        add_shares<common_factors>(at);
        return;
      }
    }
    add_shares<line_factors>(at);
  }
  /// Whether the warpgroup's rows and the columns have common factors: the same in its four warps,
  /// which multiply together.
  [[nodiscard]] MX_HD bool is_folded(const step& at) const noexcept {
    std::uint32_t signs = 0;
    unrolled<4>([&](int i) {
      signs |= at.a(group_).common.word[i] | at.b(0).common.word[i] | at.b(1).common.word[i];
    });
    return signs >> 31 == 0;
  }
  MX_HD void count_folded() const noexcept {
    if (counts_ == nullptr || self_.index() % 128 != 0) return;
    const auto steps = static_cast<std::uint32_t>(loads_.count() * stage_steps);
    self_.add_to(&counts_->folded, folded_);
    self_.add_to(&counts_->not_folded, steps - folded_);
  }

  [[nodiscard]] static MX_HD code_bounds bounds_of(const wgmma_piece<M>& of) noexcept {
    return bounds_in(of.bounds.word[0]).with(bounds_in(of.bounds.word[1]));
  }

  template <class Factors>
  MX_HD void add_shares(const step& at) noexcept {
    self_.warp_barrier();  // wgmma requires converged warps
    share_sums sum[2];
    rare_ = 0;
    const Factors factors(*this, at);
    begin_share(at, 0, sum[0]);
    unrolled<shares>([&](int share) {
      if (share + 1 < shares) {
        begin_share(at, share + 1, sum[(share + 1) % 2]);
        self_.template wait_for_products<1>(sum[share % 2]);
      } else {
        self_.template wait_for_products<0>(sum[share % 2]);
      }
      add_share(at, share, sum[share % 2], factors);
    });
  }

  MX_HD void begin_share(const step& at, int share, share_sums& sum) const noexcept {
    self_.begin_products();
    if constexpr (is_fused(M)) {
      const int line = share * share_columns;
      self_.template multiply_32<0>(sum, rows_of_block(at, 0), columns_of_block(at, 0, line));
      self_.template multiply_32<16>(sum, rows_of_block(at, 1), columns_of_block(at, 1, line));
    } else {
      const int block = share / 2, line = share % 2 * share_columns;
      self_.multiply_64(sum, rows_of_block(at, block), columns_of_block(at, block, line));
    }
    self_.commit_products();
  }

  /// Matrices of the warpgroup's rows, and of columns from `line` on.
  [[nodiscard]] MX_HD std::uint64_t rows_of_block(const step& at, int block) const noexcept {
    return farther(stage_of(rows_, at), at.i * sizeof(wgmma_piece<M>) + bytes_of_chunks(block));
  }
  [[nodiscard]] MX_HD std::uint64_t columns_of_block(const step& at, int block,
                                                     int line) const noexcept {
    const std::size_t pieces = line / piece_lines * stage_steps + at.i;
    return farther(stage_of(columns_, at), pieces * sizeof(wgmma_piece<M>) +
                                               bytes_of_chunks(block) +
                                               line % piece_lines * sizeof(quad_word));
  }
  [[nodiscard]] static MX_HD std::uint64_t stage_of(std::uint64_t first, const step& at) noexcept {
    return farther(first, at.number % wgmma_stages * sizeof(wgmma_stage<M>));
  }
  [[nodiscard]] static MX_HD std::size_t bytes_of_chunks(int block) noexcept {
    return block * (M.block / 16) * (piece_lines * sizeof(quad_word));
  }
  [[nodiscard]] static MX_HD std::uint64_t farther(std::uint64_t matrix,
                                                   std::size_t bytes) noexcept {
    const auto word = static_cast<std::uint32_t>(bytes);
    return M.block == 16 ? first_moved(matrix, word) : moved(matrix, word);
  }

  MX_HD void add_share(const step& at, int share, const share_sums& sum,
                       const line_factors& factors) noexcept {
    if constexpr (is_fused(M)) {
      add_both_blocks(at, share, sum, factors.rows);
    } else {
      const int block = share / 2, first = share % 2 * share_fragments;
      unrolled<share_fragments>([&](int j) {
        add_to_fragment(sums_.of(0, first + j), fragment(sum, 4 * j), factors.rows[block],
                        columns_of(at, block, first + j));
      });
    }
  }
  MX_HD void add_share(const step& /*at*/, int share, const share_sums& sum,
                       const common_factors& factors) noexcept {
    const int block = share / 2, first = share % 2 * share_fragments;
    unrolled<share_fragments>([&](int j) {
      const int i = (first + j) * 8 / group_lines;
      add_to_fragment(sums_.of(0, first + j), fragment(sum, 4 * j), factors.of[block][i]);
    });
  }

  /// Both blocks of a step for 32 columns.
  MX_HD void add_both_blocks(const step& at, int share, const share_sums& sum,
                             const row_factors (&rows)[blocks]) noexcept {
    unrolled<share_fragments>([&](int j) {
      const int f = share * share_fragments + j;
      const column_factors columns[2] = {columns_of(at, 0, f), columns_of(at, 1, f)};
      const fragment_sums<product_sum> both[2] = {fragment(sum, 4 * j), fragment(sum, 16 + 4 * j)};
      const bool added = add_to_fragment(sums_.of(0, f), both, rows, columns, window_);
      rare_ |= static_cast<std::uint32_t>(!added) << f;
    });
  }

  /// Four sums in the form that steps take.
  [[nodiscard]] static MX_HD fragment_sums<product_sum> fragment(const share_sums& sum,
                                                                 int first) noexcept {
    return {{Products::sum_of(sum[first]), Products::sum_of(sum[first + 1]),
             Products::sum_of(sum[first + 2]), Products::sum_of(sum[first + 3])}};
  }

  [[nodiscard]] MX_HD row_factors rows_of(const step& at, int block) const noexcept {
    const int place = factor_place(gemm_side::row, warp() * tile_lines + lane() / 4);
    const std::uint32_t* words = &at.a(group_).factors[block][0].word[0] + place;
    return {{row_factor::of(float_of(words[0])), row_factor::of(float_of(words[1]))}};
  }
  [[nodiscard]] MX_HD column_factors columns_of(const step& at, int block,
                                                int fragment) const noexcept {
    const int quad_number = fragment % 8 / 2 * 4 + lane() % 4, first = fragment % 2 * 2;
    const quad_word& quad = at.b(fragment / 8).factors[block][quad_number];
    return {{float_of(quad.word[first]), float_of(quad.word[first + 1])}};
  }

  const Thread& self_;
  std::uint32_t* left_;
  int group_;  ///< the warpgroup
  wgmma_loads<M, Thread> loads_;
  std::uint64_t rows_, columns_;  ///< matrices of the first stage
  step_counts* counts_;           ///< may be null
  sums sums_;
  fused_window window_;
  float bound_ = 0;            ///< upper bound of this thread's sums
  std::uint32_t folded_ = 0;   ///< steps with common factors
  std::uint32_t rare_ = 0;     ///< fragments to which a step was not added
  bool has_extremes_ = false;  ///< whether a row had a scale above largest_row_code
};

/// Block b of the grid computes one tile of D.
template <dot_model M, class Products, class Thread>
MX_HD void gemm_mxfp4_wgmma(const Thread& self, const wgmma_arguments& to) {
  wgmma_tile_of_d<M, Products, Thread>(self, to).run();
}

}  // namespace mx::kernels
