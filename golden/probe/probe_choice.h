// SPDX-License-Identifier: Apache-2.0
// golden/probe/probe_choice.h: the blocks of pools that distinguish recipes: as few as a greedy
// search finds.
#pragma once
#include <compare>
#include <vector>

#include "golden/probe/block_pool.h"
#include "golden/probe/known_recipes.h"

namespace golden::probe {

struct pooled_block {
  std::size_t pool = 0, block = 0;

  friend auto operator<=>(const pooled_block&, const pooled_block&) = default;
};

/// Selected blocks, and the recipes they distinguish.
///   blocks  distinguish all that the pools can, by pool, the anchors of their pools first; and all
///           of needed pools
///   more    others that distinguish most of it a second and a third time, which makes the probe
///           useful for unknown kernels
///   groups  of recipes that no block of any pool distinguishes, by index; alone: distinct from all
struct probe_choice {
  std::vector<pooled_block> blocks, more;
  std::vector<std::vector<std::size_t>> groups;
};

/// Recipes that positions decide are excluded from the groups.
///   most  limit on all blocks including `more`, without those of needed pools; blocks without
///         `more` may exceed it
[[nodiscard]] probe_choice choose_blocks(const std::vector<block_pool>& pools,
                                         const mx::block_format& f,
                                         const std::vector<known_recipe>& recipes,
                                         std::size_t most);

/// A pool as a tensor: one block in each row of blocks.
///   pool  outlives the subject
[[nodiscard]] validator::subject subject_of(const block_pool& pool, const mx::block_format& f);

}  // namespace golden::probe
