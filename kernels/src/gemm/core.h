// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/core.h: products of any plan, by the core's own functions: a thread computes an
// element of D. The baseline for faster kernels, and the fallback for all they do not support.
#pragma once
#include "gemm/element.h"

namespace mx::kernels {

inline constexpr int gemm_core_threads = 128;

/// Thread t of the grid computes element t. Equals mx::gemm_element.
template <class Thread>
MX_HD void gemm_core(const Thread& self, const gemm_arguments& to) {
  const auto place = static_cast<std::int64_t>(self.block()) * gemm_core_threads + self.index();
  if (place >= to.shape.m * to.shape.n) return;
  const std::int64_t row = place / to.shape.n, column = place % to.shape.n;
  store_element(to, row, column, sum_by_core(to, row, column));
}

}  // namespace mx::kernels
