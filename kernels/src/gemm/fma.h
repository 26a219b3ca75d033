// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/fma.h: products whose sums are chains of fused multiply-adds: `fp32.fma`, with
// promoted sums or parts of K, and the products with a correction. Equals mx::gemm_element and
// the functions of mx/dot/corrected_product.h (tests/kernels/gemm/fma_test.cpp,
// tests/kernels/gemm/corrected_test.cpp). Has not run on its hardware.
//
// A block of threads computes 128 rows and 128 columns of D, or 64 and 64 if those would be too few
// for a device; a warp 32 rows and half of the columns; a thread runs of four in both directions,
// so that the lanes of a warp load adjacent numbers. Each of a thread's sums takes one multiply-add
// for every k, ascending, the order of mx::dot_fma; the values of a slice of k are expanded once
// for all lines of the tile (kernels/src/gemm/fma_slice.h), into whichever of two buffers in shared
// memory is not being read.
// Instructions of a warp for a slice, 16 of k, from codes in pairs, counted in code for sm_90a:
//   large tiles   1252: 1024 FFMA, 64 LDS of 16 bytes, 17 LDS, 16 FMUL, 16 STS, 2 LDG, 113 others:
//                 82 %
//   small tiles    721: 512 FFMA, 48 LDS of 16 bytes, the same to expand: 71 %
//   second_pass   1298 with 1024 FFMA: 79 %; promoted and macro_epilogue about 120 and 400 more a
//                 span
// Code for sm_100a has 512 FFMA2 instead of 1024 FFMA (kernels/src/device/fma_pairs.h).
// Not measured.
#pragma once
#include "device/fma_pairs.h"
#include "gemm/fma_chain.h"
#include "gemm/fma_slice.h"

namespace mx::kernels {

template <fma_sums S, int Edge, class Thread>
class fma_tile {
 public:
  MX_HD fma_tile(const Thread& self, const fma_arguments& to) noexcept
      : self_(self),
        to_(to),
        memory_(*self.template shared<fma_memory<Edge>>()),
        place_(tile_place::of(self.block(), self.index(), to.product.shape)),
        loads_(self, to, place_.tile_row, place_.tile_column) {}

  MX_HD void run() noexcept {
    begin();
    loads_.fill_tables();
    self_.barrier();
    fma_walk<S> at(static_cast<int>(to_.product.shape.k), to_.span);
    if (!at.is_done()) {
      loads_.fetch(at);
      loads_.store(at, memory_.slice[0]);
    }
    self_.barrier();
    std::int64_t span = 0;
    for (int turn = 0; !at.is_done(); turn ^= 1) {
      fma_walk<S> next = at;
      next.advance();
      if (!next.is_done()) loads_.fetch(next);
      multiply(memory_.slice[turn], at);
      if (has_total && at.ends_span()) join(span++);
      // All threads finished reading that buffer before the last barrier.
      if (!next.is_done()) loads_.store(next, memory_.slice[turn ^ 1]);
      self_.barrier();
      at = next;
    }
    store();
  }

 private:
  using tile_shape = fma_shape<Edge>;
  using tile_place = fma_place<Edge>;
  static constexpr int rows = 8, columns = 4 * tile_place::column_runs;  // of a thread
  static constexpr bool has_total = S == fma_sums::promoted || S == fma_sums::macro_epilogue;
  static constexpr bool has_plan = S == fma_sums::plain || S == fma_sums::promoted;
  static constexpr int unrolled_steps = 8;

  /// Calls work(i, j) for every sum of this thread.
  template <class Work>
  static MX_HD void for_all(const Work& work) noexcept {
    unrolled<rows * columns>([&](int i) { work(i / columns, i % columns); });
  }
  [[nodiscard]] MX_HD bool is_inside(int i, int j) const noexcept {
    return place_.row_of(i) < to_.product.shape.m && place_.column_of(j) < to_.product.shape.n;
  }

  MX_HD void begin() noexcept {
    for_all([&](int i, int j) {
      const bool has_c = has_plan && is_inside(i, j);
      const float c = has_c ? addend(place_.row_of(i), place_.column_of(j)) : 0.0F;
      const fma_start start = fma_start::of<S>(to_.product.plan, c);
      sums_[i][j] = start.sum;
      if (has_total) totals_[i][j] = start.total;
    });
  }
  [[nodiscard]] MX_HD float addend(std::int64_t row, std::int64_t column) const noexcept {
    const gemm_arguments& p = to_.product;
    const auto* c = static_cast<const std::uint32_t*>(p.c);
    return float_of(start_of(p.plan, c == nullptr ? 0 : c[row * p.c_stride + column]));
  }

  MX_HD void multiply(const typename tile_shape::values& slice, const fma_walk<S>& at) noexcept {
    int k = at.from();
    for (; k + unrolled_steps <= at.to(); k += unrolled_steps) {
      unrolled<unrolled_steps>([&](int i) { add_products(slice[k + i]); });
    }
    // Few iterations: unrolling would only cost registers.
    for (; k < at.to(); k = self_.unknown(k + 1)) add_products(slice[k]);
  }

  /// Adds the products of one k.
  MX_HD void add_products(const four_values (&values)[2 * Edge / 4]) noexcept {
    const int row = place_.row / 4, column = (Edge + place_.column) / 4;
    const four_values a[2] = {values[row], values[row + 4]};
    four_values b[tile_place::column_runs];
    unrolled<tile_place::column_runs>([&](int j) { b[j] = values[column + j * 8]; });
    unrolled<rows * columns / 2>([&](int at) {
      const int i = at / (columns / 2), j = at % (columns / 2) * 2;
      add_two_products(sums_[i][j], sums_[i][j + 1], a[i / 4].value[i % 4], b[j / 4].value[j % 4],
                       b[j / 4].value[j % 4 + 1]);
    });
  }

  /// Applies the operation at the end of a span to its sums.
  MX_HD void join(std::int64_t span) noexcept {
    if constexpr (S == fma_sums::macro_epilogue) {
      const gemm_shape& d = to_.product.shape;
      float a[rows], b[columns];
      unrolled<rows>(
          [&](int i) { a[i] = reciprocal(to_.a_reciprocals, place_.row_of(i), d.m, span); });
      unrolled<columns>(
          [&](int j) { b[j] = reciprocal(to_.b_reciprocals, place_.column_of(j), d.n, span); });
      for_all([&](int i, int j) {
        totals_[i][j] = fused_multiply_add(sums_[i][j] * a[i], b[j], totals_[i][j]);
      });
    } else {
      for_all([&](int i, int j) { totals_[i][j] = totals_[i][j] + sums_[i][j]; });
    }
    for_all([&](int i, int j) { sums_[i][j] = 0.0F; });
  }
  [[nodiscard]] MX_HD float reciprocal(const float* of, std::int64_t line, std::int64_t lines,
                                       std::int64_t span) const noexcept {
    return line < lines ? of[line * to_.spans + span] : 0.0F;
  }

  /// Through shared memory, half of the rows at a time, so that a warp stores contiguous elements
  /// of D.
  MX_HD void store() const noexcept {
    std::uint64_t doubtful = 0;
    for (int half = 0; half < 2; ++half) {
      self_.barrier();
      unrolled<rows / 2>([&](int i) { put_row(half, i); });
      self_.barrier();
      for (int turn = 0; turn < tile_shape::stored_turns; ++turn) {
        const bool stored = store_turn(half, turn);
        doubtful |= static_cast<std::uint64_t>(!stored) << (half * tile_shape::stored_turns + turn);
      }
    }
    for (int i = 0; doubtful != 0; ++i, doubtful >>= 1) {
      if ((doubtful & 1) != 0)
        store_doubtful(i / tile_shape::stored_turns, i % tile_shape::stored_turns);
    }
  }
  MX_HD void put_row(int half, int i) const noexcept {
    const auto& sums = has_total ? totals_ : sums_;
    four_values(&row)[Edge / 4] = memory_.result[place_.row / 32 * 16 + place_.row % 16 + i];
    unrolled<tile_place::column_runs>([&](int j) {
      four_values four;
      unrolled<4>(
          [&](int c) { four.value[c] = half == 0 ? sums[i][j * 4 + c] : sums[i + 4][j * 4 + c]; });
      row[place_.column / 4 + j * 8] = four;
    });
  }
  /// The element that this thread stores, generally not one of its own sums.
  struct stored_place {
    int row_of_half, column_of_tile;
    std::int64_t row, column;
  };
  [[nodiscard]] MX_HD stored_place stored_at(int half, int turn) const noexcept {
    const int at = turn * tile_shape::threads + self_.index();
    const int row = at / Edge, column = at % Edge;
    return {row, column, place_.tile_row + row / 16 * 32 + half * 16 + row % 16,
            place_.tile_column + column};
  }
  /// Returns false without storing if the element's sum is doubtful: store_doubtful recomputes it.
  [[nodiscard]] MX_HD bool store_turn(int half, int turn) const noexcept {
    const stored_place at = stored_at(half, turn);
    const gemm_arguments& p = to_.product;
    if (at.row >= p.shape.m || at.column >= p.shape.n) return true;
    const four_values& four = memory_.result[at.row_of_half][at.column_of_tile / 4];
    const float sum = four.value[at.column_of_tile % 4];
    if constexpr (has_plan) {
      if (is_doubtful_chain(sum)) return false;
      store_element(p, at.row, at.column, code_of_chain(p.plan.model, sum));
    } else {
      static_cast<float*>(p.d)[at.row * p.d_stride + at.column] = sum;
    }
    return true;
  }
  MX_HD void store_doubtful(int half, int turn) const noexcept {
    const stored_place at = stored_at(half, turn);
    const gemm_arguments& p = to_.product;
    const fma_lines_of_element lines{memory_.tables, fma_line::of(p.a, at.row, p.blocks_a_line),
                                     fma_line::of(p.b, at.column, p.blocks_a_line), to_.block_bits};
    const float sum = sum_of_chain<S>(to_, lines, addend(at.row, at.column));
    store_element(p, at.row, at.column, code_of_chain(p.plan.model, sum));
  }

  const Thread& self_;
  const fma_arguments& to_;
  fma_memory<Edge>& memory_;
  tile_place place_;
  fma_loads<S, Edge, Thread> loads_;
  float sums_[rows][columns];
  float totals_[rows][columns];  ///< only if spans have totals
};

/// Block b of the grid computes tile b of D, tiles in row-major order.
template <fma_sums S, int Edge, class Thread>
MX_HD void gemm_fma(const Thread& self, const fma_arguments& to) {
  fma_tile<S, Edge, Thread>(self, to).run();
}

}  // namespace mx::kernels
