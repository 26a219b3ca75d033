// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/dot_groups.h: the exact sums of groups of 16 products of E2M1, and the step of
// `blackwell.mxf4` over four of them.
#pragma once
#include <cstdint>

#include "dot/gemm_slices.h"

namespace mx {

/// Sums of words with 64 products each.
///   quarters  [group][word]: 4 times the sum      nonzero  of a word: a bit a nonzero product
struct group_sums {
  static constexpr int words = 4, groups = 4;
  alignas(64) std::int32_t quarters[groups][words];
  std::uint64_t nonzero[words];
};

/// 64 codes a word and operand, one a byte; those of word w begin at w * distance.
struct group_codes {
  const std::uint8_t* a = nullptr;
  const std::uint8_t* b = nullptr;
  std::int64_t distance = 64;
};

/// Sums of four words; returns false, without effect, if there is no kernel.
bool sum_groups(const group_codes& codes, dot_instruction dot, group_sums& sums);

/// One step for a word: four groups under their scales, and C.
///   quarters  times both scales' significands; magnitude below 2^20
///   exponent  sum of both scales' exponents
///   unit      of quarters, relative to the exponent: -2, less the scales' fraction bits
///   zero      every product or a scale is zero
struct scaled_groups {
  std::int64_t quarters[group_sums::groups];
  int exponent[group_sums::groups];
  int unit = -2;
  bool zero[group_sums::groups];
};

/// Equals a step of mx::dot under `blackwell.mxf4`, bit by bit.
///   c  bits of a finite number
std::uint32_t grouped_step(const scaled_groups& dot, std::uint32_t c);

}  // namespace mx
