// SPDX-License-Identifier: Apache-2.0
// kernels/src/values/tile.h: a block's tile of a product of FP32 numbers: 64 lines of both factors,
// 4 by 4 sums a thread. Every sum is one chain of multiply-adds over k, ascending, from +0. Has not
// run on its hardware.
//
// A slice of 16 of k lies in shared memory as numbers of adjacent lines, so that four lines are one
// load of 16 bytes; the next slice is loaded while this one is multiplied. Lines beyond the matrix
// read as 0, and their sums are not stored; beyond k nothing is multiplied, since adding 0 * 0
// would turn -0 into +0.
#pragma once
#include <cstdint>

#include "mx/number/config.h"
#include "mx/number/fp32.h"
#include "unrolled.h"

namespace mx::kernels {

inline constexpr int value_edge = 64;      // lines of either factor in a tile
inline constexpr int value_slice = 16;     // of k
inline constexpr int value_threads = 256;  // 16 by 16, each with 4 by 4 sums

/// Which elements of a factor are adjacent in memory: those of a line along k, or those of all
/// lines at one k.
enum class value_order : std::uint8_t { along_k, across_lines };

/// Element (k, line) lies at `first` + line * stride + k, or + k * stride + line.
struct value_factor {
  const float* first;
  std::int64_t stride;
  int lines;
};

struct alignas(16) value_memory {
  /// The pad puts the four k's that a thread stores at once into different banks.
  float slice[2][2][value_slice][value_edge + 4];
};
static_assert(sizeof(value_memory) <= 48 * 1024);

template <value_order Left, class Thread>
class value_tile {
 public:
  ///   row, column  of the tile's first result
  MX_HD value_tile(const Thread& self, int row, int column) noexcept
      : self_(self), memory_(*self.template shared<value_memory>()), row_(row), column_(column) {}

  /// Sets the sums to those of left's lines with right's, and ends with a barrier.
  MX_HD void multiply(const value_factor& left, const value_factor& right, int k) noexcept {
    unrolled<16>([&](int at) { sums_[at / 4][at % 4] = 0.0F; });
    fetch(left, right, k, 0);
    put(0);
    self_.barrier();
    for (int from = 0, turn = 0; from < k; from += value_slice, turn ^= 1) {
      const int next = from + value_slice;
      if (next < k) fetch(left, right, k, next);
      add_slice(turn, k - from);
      // All threads finished reading that buffer before the last barrier.
      if (next < k) put(turn ^ 1);
      self_.barrier();
    }
  }

  /// Calls work(row, column, sum) for this thread's sums within a matrix.
  template <class Work>
  MX_HD void for_all(int rows, int columns, const Work& work) noexcept {
    unrolled<16>([&](int at) {
      const int row = row_ + first_row() + at / 4, column = column_ + first_column() + at % 4;
      if (row < rows && column < columns) work(row, column, sums_[at / 4][at % 4]);
    });
  }

 private:
  static constexpr int loads = value_edge * value_slice / value_threads;  // of a thread, a factor
  static_assert(loads == 4);

  [[nodiscard]] MX_HD int first_row() const noexcept { return self_.index() / 16 * 4; }
  [[nodiscard]] MX_HD int first_column() const noexcept { return self_.index() % 16 * 4; }

  /// Where a thread's load i of a slice lies: adjacent threads and loads in adjacent memory.
  struct load_place {
    int line, k;
  };
  template <value_order Order>
  [[nodiscard]] MX_HD load_place place_of(int i) const noexcept {
    const int at = self_.index() * loads + i;
    if constexpr (Order == value_order::along_k) return {at / value_slice, at % value_slice};
    return {at % value_edge, at / value_edge};
  }

  template <value_order Order>
  MX_HD void fetch_factor(const value_factor& from, int first_line, int k, int first_k,
                          float (&out)[loads]) const noexcept {
    unrolled<loads>([&](int i) {
      const load_place at = place_of<Order>(i);
      const std::int64_t line = first_line + at.line, depth = first_k + at.k;
      const bool inside = line < from.lines && depth < k;
      const std::int64_t place =
          Order == value_order::along_k ? line * from.stride + depth : depth * from.stride + line;
      out[i] = inside ? from.first[place] : 0.0F;
    });
  }
  MX_HD void fetch(const value_factor& left, const value_factor& right, int k,
                   int first_k) noexcept {
    fetch_factor<Left>(left, row_, k, first_k, fetched_[0]);
    fetch_factor<value_order::across_lines>(right, column_, k, first_k, fetched_[1]);
  }
  MX_HD void put(int turn) const noexcept {
    unrolled<loads>([&](int i) {
      const load_place left = place_of<Left>(i), right = place_of<value_order::across_lines>(i);
      memory_.slice[turn][0][left.k][left.line] = fetched_[0][i];
      memory_.slice[turn][1][right.k][right.line] = fetched_[1][i];
    });
  }

  ///   left_over  of k from the slice on
  MX_HD void add_slice(int turn, int left_over) noexcept {
    if (left_over >= value_slice) {
      unrolled<value_slice>([&](int k) { add_products(turn, k); });
    } else {
      // Few iterations: unrolling would only cost registers.
      for (int k = 0; k < left_over; k = self_.unknown(k + 1)) add_products(turn, k);
    }
  }
  struct alignas(16) four_lines {
    float value[4];
  };
  [[nodiscard]] MX_HD four_lines four_at(int turn, int factor, int k, int line) const noexcept {
    return *reinterpret_cast<const four_lines*>(&memory_.slice[turn][factor][k][line]);
  }
  MX_HD void add_products(int turn, int k) noexcept {
    const four_lines a = four_at(turn, 0, k, first_row()), b = four_at(turn, 1, k, first_column());
    unrolled<16>([&](int at) {
      float& sum = sums_[at / 4][at % 4];
      sum = fused_multiply_add(a.value[at / 4], b.value[at % 4], sum);
    });
  }

  const Thread& self_;
  value_memory& memory_;
  int row_, column_;
  float fetched_[2][loads] = {};
  float sums_[4][4] = {};
};

/// Tiles of a matrix of results, in row-major order.
[[nodiscard]] MX_HD constexpr std::int64_t value_tiles(std::int64_t rows,
                                                       std::int64_t columns) noexcept {
  return (rows + value_edge - 1) / value_edge * ((columns + value_edge - 1) / value_edge);
}
struct value_tile_place {
  int row, column;

  [[nodiscard]] static MX_HD constexpr value_tile_place of(std::uint64_t block,
                                                           std::int64_t columns) noexcept {
    const auto across = static_cast<std::uint64_t>((columns + value_edge - 1) / value_edge);
    return {static_cast<int>(block / across) * value_edge,
            static_cast<int>(block % across) * value_edge};
  }
};

}  // namespace mx::kernels
