// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/mma_fused.h: steps of `blackwell.mxf4` and `blackwell.mxf4nvf4` in
// gemm_mxfp4_mma, each by the fastest exact path: the fast step for all fragments, then for one
// fragment of D, then the aligned one; what is left then is the core's.
#pragma once
#include "gemm/mma_view.h"

namespace mx::kernels {

template <dot_model M, class Thread>
class fused_steps {
 public:
  static constexpr int blocks = gemm_step / M.block;
  using sums = thread_sums<M>;

  ///   start  initial value of integer sums
  MX_HD fused_steps(const Thread& self, sums& all, std::int32_t start) noexcept
      : self_(self), sums_(all), start_(start) {}

  /// Adds a step.
  ///   bound    upper bound of this thread's sums
  ///   returns  their bound after the step
  [[nodiscard]] MX_HD float add(const stage_view<M>& view, float bound) noexcept {
    const step_bounds bounds = view.bounds();
    const fused_window whole = window_of<M.scale>(bounds.rows, bounds.columns);
    const bool is_spread = whole.least == fused_window::every_sum;
    if (!is_spread && is_fast(whole.below(bound))) {
      add_to_all(view);
      return bound + whole.growth;
    }
    const std::uint32_t rare =
        is_spread ? add_spread(view, bounds, bound) : add_fast(view, whole.below(bound));
    add_rare(view, bounds, bound, rare & ~sums_.left());
    // A sum cut toward zero is at most as large as its parts; rounded to nearest, the bound is at
    // least the cut value.
    return is_spread ? sums_.largest() : bound + whole.growth;
  }

 private:
  /// Whether groups are cut; uniform over the lanes.
  [[nodiscard]] MX_HD group_cut cut_of(const aligned_range& range, float bound) const noexcept {
    return self_.united(bound < range.limit ? 0 : 1) == 0 ? group_cut::none
                                                          : group_cut::toward_zero;
  }

  /// Whether no sum of the warp needs another step than the fast one.
  [[nodiscard]] MX_HD bool is_fast(const fused_window& window) const noexcept {
    if constexpr (M.block != 32) return false;
    return self_.united(sums_.are_at_least(window.fast_from()) ? 0 : 1) == 0;
  }

  /// Adjacent fragments of 8 columns; their codes and factors of a block stay in
  /// registers.
  struct column_operands {
    quad_word codes[sums::across / 2];
    column_factors factors[sums::across];
  };

  /// The fragments to which this thread added nothing, because one of its sums needs another step.
  [[nodiscard]] MX_HD std::uint32_t add_fast(const stage_view<M>& view,
                                             const fused_window& window) noexcept {
    if constexpr (M.block == 32) {
      return add_thirty_twos(view, window);
    } else {
      return add_sixteens(view, window);
    }
  }

  /// The same for scales that are spread too far over the warp for the fast step.
  [[nodiscard]] MX_HD std::uint32_t add_spread(const stage_view<M>& view, const step_bounds& bounds,
                                               float bound) noexcept {
    if constexpr (M.block == 32) {
      const aligned_range range = range_of<M.scale>(bounds.rows, bounds.columns);
      if (cut_of(range, bound) == group_cut::none) return add_spread_thirty_twos(view);
    }
    return sums::all_fragments;
  }

  [[nodiscard]] static MX_HD column_operands columns_of(const stage_view<M>& view,
                                                        int half) noexcept {
    column_operands columns;
    unrolled<sums::across / 2>([&](int p) { columns.codes[p] = view.codes_of_columns(p, half); });
    unrolled<sums::across>([&](int j) { columns.factors[j] = view.columns(half, j); });
    return columns;
  }

  /// The fast step of all fragments.
  MX_HD void add_to_all(const stage_view<M>& view) noexcept {
    thirty_twos(view, [&](int i, int j, const float(&step)[4]) {
      unrolled<4>([&](int r) {
        float& acc = sums_.of(i, j)[r];
        acc = added_toward_zero(acc, step[r]);
      });
    });
  }

  [[nodiscard]] MX_HD std::uint32_t add_thirty_twos(const stage_view<M>& view,
                                                    const fused_window& window) noexcept {
    std::uint32_t rare = 0;
    thirty_twos(view, [&](int i, int j, const float(&steps)[4]) {
      rare |= added(i, j, [&](int r, float& step) {
        step = steps[r];
        return window.needs_core(sums_.of(i, j)[r]);
      });
    });
    return rare;
  }

  /// work(i, j, the blocks' sums) for each fragment.
  template <class Work>
  MX_HD void thirty_twos(const stage_view<M>& view, const Work& work) noexcept {
    const column_operands columns[2] = {columns_of(view, 0), columns_of(view, 1)};
    unrolled<sums::down>([&](int i) {
      const quad_word a[2] = {view.codes_of_rows(i, 0), view.codes_of_rows(i, 1)};
      const row_factors rows[2] = {view.rows(0, i), view.rows(1, i)};
      unrolled<sums::across>([&](int j) {
        std::int32_t sum[2][4];
        unrolled<2>([&](int half) {
          const std::uint32_t* b = columns[half].codes[j / 2].word + j % 2 * 2;
          self_.mma_k32(sum[half], a[half].word, b[0], b[1], start_);
        });
        const column_factors both[2] = {columns[0].factors[j], columns[1].factors[j]};
        float step[4];
        unrolled<4>([&](int r) {
          const std::int32_t both_sums[2] = {sum[0][r], sum[1][r]};
          const row_factor row[2] = {rows[0].of[r / 2], rows[1].of[r / 2]};
          const float column[2] = {both[0].of[r % 2], both[1].of[r % 2]};
          step[r] = fused_sum(both_sums, row, column);
        });
        work(i, j, step);
      });
    });
  }

  [[nodiscard]] MX_HD std::uint32_t add_spread_thirty_twos(const stage_view<M>& view) noexcept {
    std::int32_t margin = 0;
    return add_fragments<2>(view, [&](int r, float c, const auto& sum, const auto& row,
                                      const auto& column, float& step) {
      step = fused_sum(sum, row, column);
      margin = (r == 0 ? -1 : margin) & margin_of_element(c, step, row, column);
      return r == 3 && margin >= 0;
    });
  }

  [[nodiscard]] MX_HD std::uint32_t add_sixteens(const stage_view<M>& view,
                                                 const fused_window& window) noexcept {
    float largest = 0;
    return add_fragments<4>(view, [&](int r, float c, const auto& sum, const auto& row,
                                      const auto& column, float& step) {
      const fused_halves halves = fused_sums(sum, row, column);
      step = halves.first + halves.second;
      largest = halves.largest(r == 0 ? 0.0F : largest);
      return window.needs_core(c) || (r == 3 && largest >= window.whole);
    });
  }

  /// Adds a step to all fragments, with each fragment's operands in registers.
  ///   step_of  (r, C, sums of groups, factors of rows and of columns, step): as added's
  template <int Groups, class StepOf>
  [[nodiscard]] MX_HD std::uint32_t add_fragments(const stage_view<M>& view,
                                                  const StepOf& step_of) noexcept {
    std::uint32_t rare = 0;
    unrolled<sums::fragments>([&](int f) {
      const int i = f / sums::across, j = f % sums::across;
      // Columns are reread for other rows, since registers cannot hold all of them.
      if (j == 0) self_.warp_barrier();
      const auto operands = fragment_operands<M>::of(view, i, j);
      std::int32_t sum[Groups][4];
      operands.multiply(self_, start_, sum);
      rare |= added(i, j, [&](int r, float& step) {
        std::int32_t groups[Groups];
        row_factor row[Groups];
        float column[Groups];
        unrolled<Groups>([&](int g) {
          groups[g] = sum[g][r];
          row[g] = operands.rows[g].of[r / 2];
          column[g] = operands.columns[g].of[r % 2];
        });
        return step_of(r, sums_.of(i, j)[r], groups, row, column, step);
      });
    });
    return rare;
  }

  /// Adds a step to a fragment, unless one of its sums needs another step: then to none of them.
  ///   step_of  (r, step): of sum r in turn; returns whether it needs another
  ///   returns  the fragment's bit if nothing was added
  template <class StepOf>
  [[nodiscard]] MX_HD std::uint32_t added(int i, int j, const StepOf& step_of) noexcept {
    bool is_rare = false;
    float step[4];
    unrolled<4>([&](int r) {
      const bool is_this_rare = step_of(r, step[r]);
      is_rare = is_rare || is_this_rare;
    });
    if (is_rare) return 1U << (i * sums::across + j);
    unrolled<4>([&](int r) {
      float& acc = sums_.of(i, j)[r];
      acc = added_toward_zero(acc, step[r]);
    });
    return 0;
  }

  /// Adds a step to this thread's fragments `rare`, or leaves them.
  MX_HD void add_rare(const stage_view<M>& view, const step_bounds& bounds, float bound,
                      std::uint32_t rare) noexcept {
    const std::uint32_t anywhere = self_.united(rare);
    if (anywhere == 0) return;
    const aligned_range range = range_of<M.scale>(bounds.rows, bounds.columns);
    const group_cut cut = cut_of(range, bound);
    if (range.is_empty()) {
      sums_.leave(rare);
    } else if (cut == group_cut::none) {
      add_aligned<group_cut::none>(view, range, rare, anywhere);
    } else {
      add_aligned<group_cut::toward_zero>(view, range, rare, anywhere);
    }
  }

  template <group_cut Cut>
  MX_HD void add_aligned(const stage_view<M>& view, const aligned_range& range, std::uint32_t rare,
                         std::uint32_t anywhere) noexcept {
    sums_.add_by_pairs(anywhere, [&](float(&pair)[8], int i, int j) {
      self_.warp_barrier();
      std::uint32_t left = 0;
      unrolled<2>([&](int half) {
        const std::uint32_t bit = rare >> (i * sums::across + j + half) & 1;
        const auto operands = fragment_operands<M>::of(view, i, j + half);
        left |= added_aligned<Cut>(operands, range, bit, pair + half * 4) << (half * 4);
      });
      return left;
    });
  }

  /// Adds a step to a fragment's sums, if it is chosen.
  ///   returns  the sums left to the core, bit r each
  template <group_cut Cut>
  [[nodiscard]] MX_HD std::uint32_t added_aligned(const fragment_operands<M>& operands,
                                                  const aligned_range& range,
                                                  std::uint32_t is_chosen,
                                                  float* sum) const noexcept {
    std::int32_t groups[step_terms<M, Cut>::groups][4], any[blocks][4];
    operands.multiply(self_, start_, groups);
    operands.multiply_any(self_, any);
    std::uint32_t left = 0;
    unrolled<4>([&](int r) {
      const auto terms = operands.template terms<Cut>(groups, any, r);
      const aligned_result result = aligned_step(terms, sum[r], range);
      if (is_chosen != 0 && result.is_served) sum[r] = result.sum;
      if (is_chosen != 0 && !result.is_served) left |= 1U << r;
    });
    return left;
  }

  const Thread& self_;
  sums& sums_;
  std::int32_t start_;
};

}  // namespace mx::kernels
