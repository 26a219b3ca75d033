// SPDX-License-Identifier: Apache-2.0
// golden/reference/exact_dot.h: sums without truncation, which round after an element, a block, a
// step, or once.
// Source: IEEE 754-2019, "fusedMultiplyAdd"; MMA-Sim, arXiv 2511.10909v2, E-FDPA (CDNA1); OCP MX
// v1.0, "Dot" (a block's scaled dot product).
#pragma once
#include "golden/reference/dot_word.h"

namespace golden {

///   elements  after `length` products
///   block     after the products that share a scale; after each where there are no scales
///   whole     once
enum class rounding_span : unsigned char { elements, block, whole };

/// sum = round(sum + exact scaled products of a span), from the addend, k ascending.
struct exact_fused {
  rounding_span span = rounding_span::whole;
  std::size_t length = 1;  ///< where the span is elements
  output_format output = outputs::ieee_rne_fp32;
};

/// sum = round(sum + a b) with operands as dequantization gives them: element times scale, rounded
/// to FP32, from the addend, k ascending. What the scales make zero is +0.
struct dequantized_fma {
  output_format output = outputs::ieee_rne_fp32;
};

/// Each block's exact scaled dot product is rounded; the results are added pairwise and the addend
/// last, with a rounding each.
struct pairwise_blocks {
  output_format output = outputs::ieee_rne_fp32;
};

[[nodiscard]] rounded dot(const exact_fused& rule, const dot_word& word);
[[nodiscard]] rounded dot(const dequantized_fma& rule, const dot_word& word);
[[nodiscard]] rounded dot(const pairwise_blocks& rule, const dot_word& word);

}  // namespace golden
