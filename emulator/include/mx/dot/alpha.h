// SPDX-License-Identifier: Apache-2.0
// mx/dot/alpha.h: an alpha that is applied to a product after it was computed without one, as where
// each row and column has its own (mx/dot/prepared_gemm.h).
// Source: mx/dot/gemm.h (the results).
#pragma once
#include "mx/dot/gemm.h"

namespace mx {

/// D of a plan under `alpha`, from D under alpha 1. Equals mx::finished, given a plan without C
/// whose output is FP32.
[[nodiscard]] MX_HD constexpr float under_alpha(const dot_model& model, float alpha,
                                                float d) noexcept {
  if (alpha == 1) return d;
  const float product = fp32::multiply(alpha, d);
  const bool nan = (bits_of(product) & 0x7FFFFFFF) > formats::binary32.infinity_code();
  return nan ? float_of(nan_of(model, format{formats::binary32})) : product;
}

}  // namespace mx
