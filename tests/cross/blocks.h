// SPDX-License-Identifier: Apache-2.0
// tests/cross/blocks.h: blocks of 32 FP32 numbers that a quantizer may get wrong, each with a name.
#pragma once
#include <string>
#include <vector>

namespace cross {

struct named_block {
  std::string name;
  std::vector<float> values;
};

/// Ties, one ulp beside them, the deadzone's edge and the scale's edges, with amax one ulp around
/// 4, 6, 7 and 8 times powers of two from subnormal to FLT_MAX.
[[nodiscard]] std::vector<named_block> edge_blocks();

/// Every small subnormal amax, zeros of both signs, FLT_MAX, NaN and Inf in every encoding.
[[nodiscard]] std::vector<named_block> special_blocks();

/// Random patterns within a few binades, within many, and anywhere; the same ones every time.
[[nodiscard]] std::vector<named_block> random_blocks(int count);

/// All of them, five in a row, so that macro blocks mix kinds and the last macro block is short.
[[nodiscard]] std::vector<named_block> vectors_of(const std::vector<named_block>& blocks);

}  // namespace cross
