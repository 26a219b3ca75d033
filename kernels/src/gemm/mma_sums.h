// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/mma_sums.h: the 64 sums that a thread of gemm_mxfp4_mma holds in registers, and
// operations on single sums: these first copy the registers into memory, since registers have no
// addresses.
//
// A warp has 16 Down rows and 8 Across columns of D, in fragments of 16 by 8. Sum r of fragment (i,
// j), of lane l: row 16 i + 8 (r / 2) + l / 4, column 8 j + 2 (l % 4) + r % 2, as mma.sync leaves
// them.
#pragma once
#include "gemm/steps.h"
#include "unrolled.h"

namespace mx::kernels {

inline constexpr int warp_rows = 64, warp_columns = 32;

template <dot_model M, int Down = warp_rows / 16, int Across = warp_columns / 8>
class thread_sums {
 public:
  static constexpr int down = Down, across = Across;
  static constexpr int fragments = down * across, count = 4 * fragments;
  static constexpr std::uint32_t all_fragments = (1U << fragments) - 1;

  ///   row, column  first of the warp
  MX_HD thread_sums(const gemm_arguments& to, std::int64_t row, std::int64_t column,
                    int lane) noexcept
      : to_(to), row_(row + lane / 4), column_(column + lane % 4 * 2) {}

  [[nodiscard]] MX_HD float (&of(int i, int j) noexcept)[4] { return sum_[i * across + j]; }

  /// Initializes the sums with C.
  MX_HD void begin() noexcept {
    one_by_one(fragments_inside(), [&](float& sum, std::int64_t row, std::int64_t column) {
      sum = float_of(start_of(to_.plan, addend_at(to_, row * to_.shape.n + column)));
    });
  }

  MX_HD void store() noexcept {
    one_by_one(fragments_inside(), [&](float& sum, std::int64_t row, std::int64_t column) {
      store_sum<M>(to_, row, column, sum);
    });
  }

  /// Adds a step, or a block, to the sums of chosen fragments by the core.
  ///   chosen  bit i * across + j
  MX_HD void add_by_core(std::uint32_t chosen, std::int64_t first, int size) noexcept {
    one_by_one(chosen, [&](float& sum, std::int64_t row, std::int64_t column) {
      sum = step_by_core<M>(to_, row, column, first, size, sum);
    });
  }

  MX_HD void add_all_by_core(std::int64_t first, int size) noexcept {
    add_by_core(fragments_inside(), first, size);
  }

  /// Adds a step to chosen fragments by a function of two adjacent ones, and the remaining sums by
  /// the core; NaN stays NaN.
  ///   chosen  uniform over the lanes
  ///   add     (the eight sums, i, j of the first) -> bits of the sums not added
  template <class Add>
  MX_HD void add_by_pairs(std::uint32_t chosen, std::int64_t first, int size,
                          const Add& add) noexcept {
    float memory[count];
    unrolled<count>([&](int i) { memory[i] = sum_[i / 4][i % 4]; });
    for (int f = 0; f < fragments; f += 2) {
      if ((chosen >> f & 3) == 0) continue;
      float pair[8];
      unrolled<8>([&](int r) { pair[r] = memory[f * 4 + r]; });
      const std::uint32_t left = add(pair, f / across, f % across);
      unrolled<8>([&](int r) { memory[f * 4 + r] = pair[r]; });
      if (left == 0) continue;
      for (int half = 0; half < 2; ++half) {
        of_fragment(f + half, [&](int r, std::int64_t row, std::int64_t column) {
          float& sum = memory[(f + half) * 4 + r];
          const bool is_left = (left >> (half * 4 + r) & 1) != 0 && !fp32::is_nan(sum);
          if (is_left) sum = step_by_core<M>(to_, row, column, first, size, sum);
        });
      }
    }
    unrolled<count>([&](int i) { sum_[i / 4][i % 4] = memory[i]; });
  }

  /// The largest magnitude; a NaN orders above Inf.
  [[nodiscard]] MX_HD float largest() const noexcept {
    std::uint32_t largest = 0;
    unrolled<count>([&](int i) {
      const std::uint32_t bits = bits_of(sum_[i / 4][i % 4]) & 0x7FFFFFFF;
      largest = bits > largest ? bits : largest;
    });
    return float_of(largest);
  }

 private:
  /// Fragments with an element in D.
  [[nodiscard]] MX_HD std::uint32_t fragments_inside() const noexcept {
    std::uint32_t inside = 0;
    unrolled<fragments>([&](int f) {
      const bool is_inside =
          row_ + f / across * 16 < to_.shape.m && column_ + f % across * 8 < to_.shape.n;
      inside |= static_cast<std::uint32_t>(is_inside) << f;
    });
    return inside;
  }

  /// work(sum, row, column) for the elements of D in chosen fragments.
  template <class Work>
  MX_HD void one_by_one(std::uint32_t chosen, const Work& work) noexcept {
    float memory[count];
    unrolled<count>([&](int i) { memory[i] = sum_[i / 4][i % 4]; });
    for (; chosen != 0; chosen &= chosen - 1) {
      const int f = bit_width(chosen & (~chosen + 1)) - 1;
      of_fragment(f, [&](int r, std::int64_t row, std::int64_t column) {
        work(memory[f * 4 + r], row, column);
      });
    }
    unrolled<count>([&](int i) { sum_[i / 4][i % 4] = memory[i]; });
  }

  /// work(r, row, column) for the elements of D in a fragment.
  template <class Work>
  MX_HD void of_fragment(int f, const Work& work) const noexcept {
    for (int r = 0; r < 4; ++r) {
      const std::int64_t row = row_ + f / across * 16 + r / 2 * 8;
      const std::int64_t column = column_ + f % across * 8 + r % 2;
      if (row < to_.shape.m && column < to_.shape.n) work(r, row, column);
    }
  }

  const gemm_arguments& to_;
  std::int64_t row_, column_;
  float sum_[fragments][4] = {};
};

}  // namespace mx::kernels
