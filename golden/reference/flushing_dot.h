// SPDX-License-Identifier: Apache-2.0
// golden/reference/flushing_dot.h: the sums of CDNA2's matrix cores: FP32 products and additions,
// each rounded, with subnormals flushed to zero.
// Source: MMA-Sim, arXiv 2511.10909v2, FTZ-Mul, FTZ-Add and the pairwise sum over them.
#pragma once
#include "golden/reference/dot_word.h"

namespace golden {

/// `group` products, 2 or 4, are added pairwise, then their sum to the addend; and so on.
///   operands  a subnormal or zero one, addend included, becomes +0
///   results   a subnormal one becomes a zero with its sign
struct flushing_pairwise {
  std::size_t group = 4;
  output_format output = outputs::ieee_rne_fp32;
};

[[nodiscard]] rounded dot(const flushing_pairwise& rule, const dot_word& word);

}  // namespace golden
