// SPDX-License-Identifier: Apache-2.0
// sim/sweep/product_error.h: errors of a product of quantized matrices under a tensor-core model.
#pragma once
#include <vector>

#include "mx/dot/gemm.h"
#include "mx/tensor/operand.h"

namespace sim {

/// Rows of A and of B (that of B^T), of k numbers each.
struct product_operands {
  int m = 0, n = 0, k = 0;
  std::vector<float> a, b;
};

/// Sums over the elements of D, against products in binary64.
///   exact         squares of the product of the numbers as they are
///   error         squares of D's difference from it
///   coded         squares of the product of the numbers that the codes stand for
///   accumulation  squares of D's difference from that
struct product_sums {
  double exact = 0, error = 0, coded = 0, accumulation = 0;
};

/// The quantized operands, multiplied under a plan.
///   f     plain or a preset, its scales of one byte
///   plan  for f's format; the tensor scales are multiplied into its alpha
[[nodiscard]] product_sums product_error(const mx::operand& f, mx::gemm_plan plan,
                                         const product_operands& x);

}  // namespace sim
