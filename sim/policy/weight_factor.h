// SPDX-License-Identifier: Apache-2.0
// sim/policy/weight_factor.h: W of quantized products in the form of a pass, quantized along the
// axis that the pass contracts over, and the products of rows with it.
#pragma once
#include <memory>
#include <span>

#include "sim/policy/product.h"

namespace sim {

/// A weight (out, in), row-major and dense.
struct weight_view {
  const float* w;
  int rows, columns;
  product_place at;
};

/// W of linears that share their left operand, side by side: K x N.
///   values  of `fp32.fma`      codes  of other models; one of both is null
struct weight_factor {
  int k = 0, n = 0;
  std::unique_ptr<const right_factor> values;
  std::unique_ptr<const coded_factor> codes;
};

/// For rollout and forward: contraction over the inputs.
[[nodiscard]] weight_factor forward_factor(const pass_products& p,
                                           std::span<const weight_view> side_by_side);

/// For dgrad: contraction over the outputs.
[[nodiscard]] weight_factor backward_factor(const pass_products& dgrad, const weight_view& w);

/// Rows of X or dY.
///   tokens  token_number of each row
struct product_rows {
  int rows;
  const float* x;
  std::ptrdiff_t stride;
  const std::uint64_t* tokens;
};

/// The product of quantized rows with W: rows x W's N, dense.
///   at  of the left operand
void multiply(const pass_products& p, const product_place& at, const product_rows& x,
              const weight_factor& w, float* out);

}  // namespace sim
