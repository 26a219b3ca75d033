// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/bulk_product.cpp: bulk products under `fp32.fma`. Equals a chain of
// mx::fused_multiply_add for each result, checked by tests/unit/tensor/bulk_product_test.cpp.
// Floor: 2 M N K operations over the fused multiply-add peak of the core.
#include <algorithm>

#include "mx/tensor/bulk.h"
#include "mx/tensor/fused_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dot/bulk_product.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "mx/tensor/fused-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;
constexpr int lanes = static_cast<int>(hn::MaxLanes(D()));
// 6 x 4 accumulators and 4 columns of B fill 28 of the 32 registers of AVX-512; 6 x 2 fill 14 of
// the 16 of AVX2.
constexpr int tile_rows = 6;
constexpr int tile_vectors = lanes == 16 ? 4 : 2;
constexpr int tile_columns = tile_vectors * lanes;

/// Position of the elements of A: (row, k) at a[row * row_stride + k * k_stride].
struct left_operand {
  const float* a;
  std::ptrdiff_t row_stride;
  std::ptrdiff_t k_stride;
};

/// Calls work(row, v) for every vector of a tile, row by row.
template <int Rows, int Vectors, class Work>
HWY_INLINE void each_vector(const Work& work) {
#pragma GCC unroll 8
  for (int row = 0; row < Rows; ++row) {
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v) work(row, v);
  }
}

/// acc[row][column] = fused chain over k from +0.
template <int Rows, int Vectors>
HWY_INLINE void product_tile(left_operand left, const float* HWY_RESTRICT b,
                             std::ptrdiff_t b_stride, int k_count, V (&acc)[Rows][Vectors]) {
  const D d;
  each_vector<Rows, Vectors>([&](int row, int v) { acc[row][v] = hn::Zero(d); });
  for (int k = 0; k < k_count; ++k) {
    V column[Vectors];
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v) column[v] = hn::LoadU(d, b + v * lanes);
#pragma GCC unroll 8
    for (int row = 0; row < Rows; ++row) {
      const V a = hn::Set(d, left.a[row * left.row_stride]);
#pragma GCC unroll 8
      for (int v = 0; v < Vectors; ++v) acc[row][v] = fused(a, column[v], acc[row][v]);
    }
    left.a += left.k_stride;
    b += b_stride;
  }
}

template <int Rows>
HWY_NOINLINE void multiply_rows(const float* a, std::ptrdiff_t a_stride, const float* b, int k,
                                int columns, float* c, std::ptrdiff_t c_stride) {
  const D d;
  for (int first = 0; first < columns; first += tile_columns) {
    V acc[Rows][tile_vectors];
    product_tile({a, a_stride, 1}, b + first, packed_matrix::panel_columns, k, acc);
    for (int row = 0; row < Rows; ++row) {
      float* out = c + row * c_stride + first;
      if (first + tile_columns <= columns) {
#pragma GCC unroll 8
        for (int v = 0; v < tile_vectors; ++v) hn::StoreU(acc[row][v], d, out + v * lanes);
      } else {
        HWY_ALIGN float whole[tile_columns];
        for (int v = 0; v < tile_vectors; ++v) hn::Store(acc[row][v], d, whole + v * lanes);
        std::copy_n(whole, columns - first, out);
      }
    }
  }
}

using rows_function = void (*)(const float*, std::ptrdiff_t, const float*, int, int, float*,
                               std::ptrdiff_t);

void multiply_panels(int rows, const float* a, std::ptrdiff_t a_stride, const packed_matrix& b,
                     float* c, std::ptrdiff_t c_stride) {
  constexpr rows_function functions[tile_rows] = {multiply_rows<1>, multiply_rows<2>,
                                                  multiply_rows<3>, multiply_rows<4>,
                                                  multiply_rows<5>, multiply_rows<6>};
  constexpr int width = packed_matrix::panel_columns;
  for (int first = 0; first < b.n(); first += width) {
    const int columns = std::min(width, b.n() - first);
    for (int row = 0; row < rows; row += tile_rows) {
      const int count = std::min(tile_rows, rows - row);
      functions[count - 1](a + row * a_stride, a_stride, b.panel(first / width), b.k(), columns,
                           c + row * c_stride + first, c_stride);
    }
  }
}

/// One tile of leaf number i, carried into the levels of the tree.
template <int Rows, int Vectors>
HWY_INLINE void add_leaf_tile(const value_leaves& of, std::size_t i, int row, int column) {
  const D d;
  const outer_product& leaf = of.leaves[i];
  const int index = of.first_leaf + static_cast<int>(i);
  V acc[Rows][Vectors];
  product_tile({leaf.left + row, 1, of.left_stride}, leaf.right + column, of.right_stride, leaf.k,
               acc);
  // The rows beyond k are +0 times +0: they change a sum only from -0 to +0, as adding +0 does.
  each_vector<Rows, Vectors>([&](int r, int v) { acc[r][v] = hn::Add(acc[r][v], hn::Zero(d)); });
  const auto at = [&](int level, int r, int v) {
    return of.levels[level] + static_cast<std::ptrdiff_t>(row + r) * of.n + column + v * lanes;
  };
  int level = 0;
  for (; (index >> level & 1) != 0; ++level) {
    each_vector<Rows, Vectors>(
        [&](int r, int v) { acc[r][v] = hn::Add(hn::LoadU(d, at(level, r, v)), acc[r][v]); });
  }
  each_vector<Rows, Vectors>([&](int r, int v) { hn::StoreU(acc[r][v], d, at(level, r, v)); });
}

template <int Rows, int Vectors>
HWY_NOINLINE void add_tile(const value_leaves& of, int row, int column) {
  for (std::size_t i = 0; i < of.leaves.size(); ++i) {
    add_leaf_tile<Rows, Vectors>(of, i, row, column);
  }
}

template <int Vectors>
void add_columns(const value_leaves& of, int column) {
  const int row_end = std::min(of.row_end, of.m);
  int row = of.row_begin;
  for (; row + tile_rows <= row_end; row += tile_rows) {
    add_tile<tile_rows, Vectors>(of, row, column);
  }
  for (; row + 2 <= row_end; row += 2) add_tile<2, Vectors>(of, row, column);
  for (; row < row_end; ++row) add_tile<1, Vectors>(of, row, column);
}

void add_leaves_to_levels(const value_leaves& of) {
  int column = 0;
  for (; column + tile_columns <= of.n; column += tile_columns) {
    add_columns<tile_vectors>(of, column);
  }
  for (; column < of.n; column += lanes) add_columns<1>(of, column);
}

}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mx {

HWY_EXPORT(multiply_panels);
HWY_EXPORT(add_leaves_to_levels);

packed_matrix::packed_matrix(int k, int n)
    : k_(k),
      n_(n),
      panels_(static_cast<std::size_t>((n + panel_columns - 1) / panel_columns) * panel_columns *
              static_cast<std::size_t>(k)) {}

void packed_matrix::set_columns(int first, int columns, const float* matrix,
                                std::ptrdiff_t stride) {
  set_elements(first, columns, matrix, stride, 1);
}

void packed_matrix::set_columns_transposed(int first, int columns, const float* matrix,
                                           std::ptrdiff_t stride) {
  set_elements(first, columns, matrix, 1, stride);
}

void packed_matrix::set_elements(int first, int columns, const float* matrix,
                                 std::ptrdiff_t k_stride, std::ptrdiff_t n_stride) {
  for (int n = first; n < first + columns; ++n) {
    float* column = panels_.data() +
                    static_cast<std::ptrdiff_t>(n / panel_columns) * k_ * panel_columns +
                    n % panel_columns;
    for (int k = 0; k < k_; ++k) {
      column[static_cast<std::ptrdiff_t>(k) * panel_columns] =
          matrix[k * k_stride + (n - first) * n_stride];
    }
  }
}

void multiply(int rows, const float* a, std::ptrdiff_t a_stride, const packed_matrix& b, float* c,
              std::ptrdiff_t c_stride) {
  HWY_DYNAMIC_DISPATCH(multiply_panels)(rows, a, a_stride, b, c, c_stride);
}

void add_leaves(const value_leaves& of) { HWY_DYNAMIC_DISPATCH(add_leaves_to_levels)(of); }

}  // namespace mx
#endif  // HWY_ONCE
