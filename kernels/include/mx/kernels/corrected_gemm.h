// SPDX-License-Identifier: Apache-2.0
// mx/kernels/corrected_gemm.h: products of MXFP4 matrices that apply a correction during
// accumulation, on a CUDA device. Source: mx/dot/corrected_product.h (the results).
#pragma once
#include "mx/kernels/gemm.h"

namespace mx::kernels {

///   second_pass     of an outlier fallback: per span a * b, then alpha * rest * b.
///                   Equals mx::dot_with_second_pass
///   macro_epilogue  sums of macro blocks, each divided by the factors of both sides. Equals
///                   mx::dot_with_macro_epilogue
enum class gemm_correction : std::uint8_t { second_pass, macro_epilogue };

/// Request of gemm_corrected; the accumulation starts at +0.
///   a, b           MXFP4 as mx::gemm_operand, in the device's memory; k is a multiple of 32
///   span           elements of k between corrections: of a granule, or of a macro block
///   rest, alpha    second_pass: the quantized residual of a, and its weight
///   ..reciprocals  macro_epilogue: mx::reciprocal_of_factor, ceil(k / span) a line
///   d              (m, n), row-major
///   kernel         core; fma and fma_small, for codes in pairs or in bytes
struct corrected_gemm_request {
  gemm_correction correction = gemm_correction::second_pass;
  gemm_shape shape;
  gemm_operand a, b;
  int span = 0;
  gemm_operand rest;
  float alpha = 0;
  const float* a_reciprocals = nullptr;
  const float* b_reciprocals = nullptr;
  float* d = nullptr;
  gemm_kernel kernel = gemm_kernel::best;
};

/// Computes D; a NaN may have any code. Errors as gemm's; a span that is not positive is refused.
status gemm_corrected(const corrected_gemm_request& request, stream on);

}  // namespace mx::kernels
