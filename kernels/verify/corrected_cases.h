// SPDX-License-Identifier: Apache-2.0
// kernels/verify/corrected_cases.h: products with a correction that every backend is asked, and
// what the core answers.
#pragma once
#include <string>
#include <vector>

#include "mx/kernels/corrected_gemm.h"
#include "products.h"

namespace mx::kernels {

/// A product with a correction, without its memory.
///   span, kernel  as corrected_gemm_request has them
///   kind          what its scales look like
struct corrected_case {
  std::string name;
  gemm_correction correction = gemm_correction::second_pass;
  gemm_shape shape;
  int span = 0;
  scales kind = scales::near;
  gemm_kernel kernel = gemm_kernel::best;
};

/// Every kernel and both corrections; spans that end with a block, within one, and behind the line;
/// scales of three kinds, NaN among them; one element, edges of blocks of threads and of tiles.
[[nodiscard]] std::vector<corrected_case> corrected_table();

/// Operands of a case; they depend on its shape, span and kind alone.
struct corrected_input {
  lines_of_codes a, b, rest;
  float alpha = 0;
  std::vector<float> a_reciprocals, b_reciprocals;
};
[[nodiscard]] corrected_input input_of(const corrected_case& one);

/// The case as a request whose arrays lie elsewhere.
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

/// As of other products, but that any NaN stands for any other.
[[nodiscard]] std::string difference_between(const corrected_case& one,
                                             const std::vector<std::uint32_t>& expected,
                                             const std::vector<std::uint32_t>& found);

}  // namespace mx::kernels
