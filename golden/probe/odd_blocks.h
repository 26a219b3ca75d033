// SPDX-License-Identifier: Apache-2.0
// golden/probe/odd_blocks.h: the blocks of an output that a recipe does not explain, with what it
// expects.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "golden/probe/sorted_blocks.h"

namespace golden::probe {

/// The first code of a block that differs.
struct odd_code {
  float value = 0;
  std::uint32_t expected = 0, found = 0;
};

/// One block.
///   block   its number in the tensor      row, column  of its first element, in a matrix of rows
///   values  its numbers, each once, the largest magnitudes first, at most four
///   codes   how many differ, and the first of them
struct odd_block {
  std::string tensor;
  std::uint64_t block = 0, row = 0, column = 0;
  std::vector<float> values;
  std::uint32_t expected_scale = 0, found_scale = 0;
  std::uint64_t codes = 0;
  std::optional<odd_code> first;
};

/// The first ones, at most four.
///   r  decided block by block
[[nodiscard]] std::vector<odd_block> described(const validator::hypothesis& r,
                                               std::span<const validator::subject> subjects,
                                               std::span<const block_sort::place> odd);

}  // namespace golden::probe
