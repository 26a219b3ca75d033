// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/rest.h: elements of D that a product by tensor cores leaves to the core, in a
// kernel of its own: so the product's threads have none of the core's stack and instructions.
//
// An element is left if one of its steps has scales beyond what the fast steps take, or if it may
// be -0; it is then computed from its first product on. A fragment is left if one of its
// elements is.
#pragma once
#include "gemm/element.h"
#include "gemm/mma_sums.h"

namespace mx::kernels {

inline constexpr int rest_threads = 256;  // as many as the product's

/// Thread t of the grid computes the fragments that thread t of the product left.
///   Arguments  mma_arguments or wgmma_arguments
template <class Thread, class Arguments>
MX_HD void gemm_rest(const Thread& self, const Arguments& to) {
  using places = sum_places<Arguments::fragments_across>;
  const gemm_arguments& product = to.product;
  const place_of_d first =
      places::first(to.warp_at(self.block(), self.index() / 32), self.index() % 32);
  std::uint32_t left =
      to.left[self.block() * rest_threads + static_cast<std::uint64_t>(self.index())];
  for (; left != 0; left &= left - 1) {
    const int fragment = bit_width(left & (~left + 1)) - 1;
    for (int n = fragment * 4; n < fragment * 4 + 4; ++n) {
      const std::int64_t row = first.row + places::row(n),
                         column = first.column + places::column(n);
      if (row >= product.shape.m || column >= product.shape.n) continue;
      store_element(product, row, column, sum_by_core(product, row, column));
    }
  }
}

}  // namespace mx::kernels
