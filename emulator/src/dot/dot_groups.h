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

/// Sums of four words with adjacent codes; returns false, without effect, if there is no kernel.
bool sum_groups(const std::uint8_t* a, const std::uint8_t* b, dot_instruction dot,
                group_sums& sums);

/// One step for a word: four groups under power-of-two scales, and C.
struct scaled_groups {
  std::int64_t quarters[group_sums::groups];
  int exponent[group_sums::groups];  ///< sum of both scales' exponents
  bool zero[group_sums::groups];     ///< every product is zero
};

/// Equals a step of mx::dot under `blackwell.mxf4`, bit by bit.
///   c  bits of a finite number
std::uint32_t grouped_step(const scaled_groups& dot, std::uint32_t c);

}  // namespace mx
