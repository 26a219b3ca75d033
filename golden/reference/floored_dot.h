// SPDX-License-Identifier: Apache-2.0
// golden/reference/floored_dot.h: the sums of CDNA3's matrix cores: products are truncated toward
// zero, what follows is rounded down, and the result is rounded to nearest.
// Source: MMA-Sim, arXiv 2511.10909v2, TR-FDPA and GTR-FDPA, as its program has them (the paper's
// Algorithm 10 has one stage less).
#pragma once
#include "golden/reference/dot_word.h"

namespace golden {

///   fused       all products of a step share the largest exponent
///   even_odd    those of even and of odd k have one each; the two sums are then rounded down to
///               multiples of 2^(e - product_bits), e the larger exponent, and added; an addend
///               whose exponent is more than product_bits + 1 below the largest counts as zero
enum class product_split : unsigned char { fused, even_odd };

/// A step over `length` products:
///   1. products truncated toward zero at 2^(e_dot - product_bits) and added, e_dot the largest
///      exponent among those that are not zero; from 2^128 on a product is Inf
///   2. with e the larger of e_dot and the addend's exponent (a zero has that of the smallest
///   normal):
///      the sum rounded down to 2^(e - sum_bits - 1), the addend to 2^(e - product_bits); added
///   3. rounded down to sum_bits below its own exponent, which is not below -126
///   4. rounded to nearest
struct floored_fused {
  std::size_t length = 8;
  product_split split = product_split::fused;
  int product_bits = 24;  ///< F
  int sum_bits = 31;      ///< F2
  output_format output = outputs::ieee_rne_fp32;
};

[[nodiscard]] rounded dot(const floored_fused& rule, const dot_word& word);

}  // namespace golden
