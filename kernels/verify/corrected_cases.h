// SPDX-License-Identifier: Apache-2.0
// kernels/verify/corrected_cases.h: products with a correction that every backend computes, and
// the core's results.
#pragma once
#include <string>
#include <vector>

#include "mx/kernels/corrected_gemm.h"
#include "products.h"

namespace mx::kernels {

/// A product with a correction, without its memory.
///   span, kernel  as corrected_gemm_request has them
///   kind          distribution of its scales
struct corrected_case {
  std::string name;
  gemm_correction correction = gemm_correction::second_pass;
  gemm_shape shape;
  int span = 0;
  scales kind = scales::near;
  gemm_kernel kernel = gemm_kernel::best;
};

/// Every kernel and both corrections; spans that end at a block, within one, and beyond the line;
/// scales of three kinds, including NaN; one element, edges of blocks of threads and of tiles.
[[nodiscard]] std::vector<corrected_case> corrected_table();

/// Operands of a case; they depend on its shape, span and kind alone.
struct corrected_input {
  lines_of_codes a, b, rest;
  float alpha = 0;
  std::vector<float> a_reciprocals, b_reciprocals;
};
[[nodiscard]] corrected_input input_of(const corrected_case& one);

/// The memory of a case's arrays, from which its request is built.
///   a, b, rest  codes and scales of the input's lines
struct corrected_memory {
  gemm_operand a, b, rest;
  const float *a_reciprocals = nullptr, *b_reciprocals = nullptr;
  float* d = nullptr;
};
[[nodiscard]] corrected_gemm_request corrected_request_of(const corrected_case& one,
                                                          const corrected_input& input,
                                                          const corrected_memory& at);

/// Bits of D by the core alone (mx/dot/corrected_product.h).
[[nodiscard]] std::vector<std::uint32_t> corrected_product_of_core(const corrected_case& one,
                                                                   const corrected_input& input);

/// As for other products, except that all NaNs are equal.
[[nodiscard]] std::string difference_between(const corrected_case& one,
                                             const std::vector<std::uint32_t>& expected,
                                             const std::vector<std::uint32_t>& found);

}  // namespace mx::kernels
