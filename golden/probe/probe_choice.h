// SPDX-License-Identifier: Apache-2.0
// golden/probe/probe_choice.h: which blocks of the pools tell recipes apart: as few as a greedy search
// needs.
#pragma once
#include <vector>

#include "golden/probe/block_pool.h"
#include "golden/probe/known_recipes.h"

namespace golden::probe {

struct pooled_block {
  std::size_t pool = 0, block = 0;

  friend bool operator==(const pooled_block&, const pooled_block&) = default;
};

/// Blocks, and what they tell.
///   blocks  those that tell all that the pools can, by pool, the anchors of their pools first
///   more    others that tell most of it a second and a third time, which make a probe of kernels that
///           nobody knows yet
///   groups  of recipes that no block of any pool tells apart, by index; alone: told from all others
struct probe_choice {
  std::vector<pooled_block> blocks, more;
  std::vector<std::vector<std::size_t>> groups;
};

/// Recipes that places decide are left out of the groups.
///   most  blocks with those of `more`; it may be exceeded without them
[[nodiscard]] probe_choice choose_blocks(const std::vector<block_pool>& pools,
                                         const mx::block_format& f,
                                         const std::vector<known_recipe>& recipes,
                                         std::size_t most);

/// A pool as a tensor: a block in each row of blocks.
///   pool  outlives the subject
[[nodiscard]] validator::subject subject_of(const block_pool& pool, const mx::block_format& f);

}  // namespace golden::probe
