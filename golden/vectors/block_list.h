// SPDX-License-Identifier: Apache-2.0
// golden/vectors/block_list.h: the blocks of one quantization, each at a decision point of its
// rule.
#pragma once
#include <string>
#include <vector>

#include "golden/vectors/block_pack.h"

namespace golden {

/// Numbers of a block as codes of FP32, FP16 or BF16.
struct vector_block {
  std::string label;
  std::vector<std::uint32_t> x;
};

/// Blocks of one input type, in the order that random bits count.
struct block_section {
  const number_format* input;
  std::vector<vector_block> blocks;
};

/// Zeros, subnormals, the largest numbers, NaN, Inf; both sides of a threshold of the scale; ties
/// of elements and their neighbours; random numbers.
[[nodiscard]] std::vector<block_section> sections_of(const block_pack& pack);

/// The FP32 numbers of a block.
[[nodiscard]] std::vector<float> numbers_of(const number_format& input,
                                            const std::vector<std::uint32_t>& x);

}  // namespace golden
