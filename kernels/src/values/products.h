// SPDX-License-Identifier: Apache-2.0
// kernels/src/values/products.h: bodies of the products of FP32 numbers: block b of the grid
// computes tile b; and of the tree over products of codes, an element a thread. They equal
// mx::multiply, mx::add_leaves and mx::coded_leaves (tests/kernels/values). Have not run on their
// hardware.
#pragma once
#include "mx/dot/alpha.h"
#include "mx/kernels/values.h"
#include "values/tile.h"

namespace mx::kernels {

template <class Thread>
MX_HD void multiply_values(const Thread& self, const value_product_request& to) noexcept {
  const value_tile_place at = value_tile_place::of(self.block(), to.columns);
  value_tile<value_order::along_k, Thread> tile(self, at.row, at.column);
  tile.multiply({to.a, to.a_stride, static_cast<int>(to.rows)},
                {to.b, to.b_stride, static_cast<int>(to.columns)}, static_cast<int>(to.k));
  tile.for_all(static_cast<int>(to.rows), static_cast<int>(to.columns),
               [&](int row, int column, float sum) { to.c[row * to.c_stride + column] = sum; });
}

/// Carries an element of leaf `number` into the levels, as a binary counter counts.
///   added  added(level, sum)
template <class Added>
MX_HD void carry(float* const* levels, std::int64_t place, int number, float sum,
                 const Added& added) noexcept {
  int level = 0;
  for (; (number >> level & 1) != 0; ++level) sum = added(levels[level][place], sum);
  levels[level][place] = sum;
}

/// Leaf by leaf: a tile's product, then the carry into the levels.
template <class Thread>
MX_HD void add_value_leaves(const Thread& self, const value_leaves_request& to) noexcept {
  const value_tile_place at = value_tile_place::of(self.block(), to.n);
  const int m = static_cast<int>(to.m), n = static_cast<int>(to.n);
  value_tile<value_order::across_lines, Thread> tile(self, at.row, at.column);
  for (int i = 0; i < to.count; ++i) {
    const value_leaf& leaf = to.leaves[i];
    tile.multiply({leaf.left, to.left_stride, m}, {leaf.right, to.right_stride, n}, leaf.k);
    const int number = to.first + i;
    tile.for_all(m, n, [&](int row, int column, float sum) {
      // + 0 of the rows of +0 behind k: -0 becomes +0.
      carry(to.levels, row * to.n + column, number, sum + 0.0F,
            [](float a, float b) { return a + b; });
    });
  }
}

inline constexpr int product_leaves_threads = 256;

template <class Thread>
MX_HD void add_product_leaves(const Thread& self, const product_leaves_request& to) noexcept {
  const std::int64_t size = to.m * to.n;
  const std::int64_t place =
      static_cast<std::int64_t>(self.block()) * product_leaves_threads + self.index();
  if (place >= size) return;
  for (int i = 0; i < to.count; ++i) {
    const float alpha = to.alphas == nullptr ? 1.0F : to.alphas[i];
    carry(to.levels, place, to.first + i,
          under_alpha(to.plan.model, alpha, to.products[i * size + place]),
          [&](float a, float b) { return add_fp32(to.plan.model, a, b); });
  }
}

}  // namespace mx::kernels
