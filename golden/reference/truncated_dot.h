// SPDX-License-Identifier: Apache-2.0
// golden/reference/truncated_dot.h: the sums of NVIDIA's tensor cores: every term is truncated at
// the same place, and what is left is added exactly.
// Source: MMA-Sim, arXiv 2511.10909v2, T-FDPA, ST-FDPA and GST-FDPA; for FP8 `mma.sync` on sm_90
// and sm_100 the recorded words of north-numerical-computing/MATLAB-tensor-core.
#pragma once
#include "golden/reference/dot_word.h"

namespace golden {

/// A value and the exponent that it has among those of which the largest decides.
struct aligned_term {
  dyadic value;
  int exponent = 0;
};

/// Sum of the terms, each truncated toward zero to a multiple of 2^(e_max - fraction_bits), where
/// e_max is the largest exponent.
[[nodiscard]] dyadic truncated_sum(const std::vector<aligned_term>& terms, int fraction_bits);

/// The same of terms of which every zero has the exponent `zero_exponent`.
[[nodiscard]] dyadic truncated_sum(const std::vector<term>& terms, int fraction_bits,
                                   int zero_exponent);

/// T-FDPA, and ST-FDPA where the word has scales: the products, with their scales, and the addend
/// are added truncated and rounded once. Longer words are a chain of these.
struct truncated_fused {
  std::size_t length = 4;  ///< products to a step (L)
  int fraction_bits = 23;  ///< kept below the largest exponent (F)
  output_format output = outputs::rz_fp32;
  int zero_exponent = -131;  ///< of a term that is zero (e_zero)
};

/// FP8 by FP16 instructions, which read the exponents of FP16: in each `length` elements those with
/// k mod 4 in {0, 1} are a step of `half` from +0, those with k mod 4 in {2, 3} a step from that;
/// then the addend is added with one rounding to nearest.
struct emulated_fp8 {
  std::size_t length = 32;
  truncated_fused half;
  output_format sum = outputs::nvidia_rne_fp32;
};

/// GST-FDPA: the products of `group` elements are added exactly and multiplied by their scale; a
/// group has the exponent of its scale, whatever its sum. It has `zero_exponent` where all its
/// products or its scale are zero. Then as above.
struct grouped_fused {
  std::size_t length = 64;
  std::size_t group = 16;
  int fraction_bits = 35;
  output_format output = outputs::rz_fp32;
  int zero_exponent = -139;
};

[[nodiscard]] rounded dot(const truncated_fused& rule, const dot_word& word);
[[nodiscard]] rounded dot(const emulated_fp8& rule, const dot_word& word);
[[nodiscard]] rounded dot(const grouped_fused& rule, const dot_word& word);

}  // namespace golden
