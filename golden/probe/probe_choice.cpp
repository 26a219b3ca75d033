// SPDX-License-Identifier: Apache-2.0
// golden/probe/probe_choice.cpp: takes blocks while they split groups of recipes, then drops those
// that the rest makes redundant.
#include "golden/probe/probe_choice.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "golden/probe/partition.h"
#include "golden/validator/tensor/prediction.h"

namespace golden::probe {
namespace {

using validator::prediction;

/// A recipe's result for a block, for comparison.
std::string made_of(const prediction& p, std::uint64_t block) {
  validator::predicted_block made;
  p.make(block, made);
  std::string bytes(made.codes.begin(), made.codes.end());
  bytes.append(reinterpret_cast<const char*>(&made.scale), sizeof made.scale);
  return bytes;
}

/// Results of recipes for the blocks of pools.
class made_blocks {
 public:
  made_blocks(const std::vector<block_pool>& pools, const mx::block_format& f,
              const std::vector<known_recipe>& recipes)
      : recipes_(recipes) {
    for (const block_pool& pool : pools) subjects_.push_back(subject_of(pool, f));
  }

  [[nodiscard]] std::string operator()(const pooled_block& at, std::size_t recipe) {
    const auto key = std::pair{at.pool, recipe};
    auto found = predictions_.find(key);
    if (found == predictions_.end()) {
      auto p = std::make_unique<prediction>(recipes_[recipe].rules, subjects_[at.pool], extents_);
      found = predictions_.emplace(key, std::move(p)).first;
    }
    return made_of(*found->second, at.block);
  }

 private:
  const std::vector<known_recipe>& recipes_;
  std::vector<validator::subject> subjects_;
  validator::extent_memory extents_;
  std::map<std::pair<std::size_t, std::size_t>, std::unique_ptr<prediction>> predictions_;
};

std::vector<std::size_t> decided_by_blocks(const std::vector<known_recipe>& recipes) {
  std::vector<std::size_t> all = first_numbers(recipes.size());
  std::erase_if(all, [&](std::size_t k) { return recipes[k].by != decided_by::block; });
  return all;
}

/// All blocks of pools that are not needed, except some; if there are any of these, only from their
/// pools.
std::vector<pooled_block> blocks_beside(const std::vector<pooled_block>& others,
                                        const std::vector<block_pool>& pools) {
  std::vector<pooled_block> all;
  for (std::size_t pool = 0; pool < pools.size(); ++pool) {
    if (pools[pool].needed) continue;
    const auto in_pool = [pool](const pooled_block& at) { return at.pool == pool; };
    if (!others.empty() && std::none_of(others.begin(), others.end(), in_pool)) continue;
    for (std::size_t block = 0; block < pools[pool].blocks(); ++block) {
      const pooled_block at{pool, block};
      if (std::find(others.begin(), others.end(), at) == others.end()) all.push_back(at);
    }
  }
  return all;
}

/// The blocks, preceded by the anchor of each of their pools.
std::vector<pooled_block> anchored(const std::vector<pooled_block>& blocks,
                                   const std::vector<block_pool>& pools) {
  std::vector<pooled_block> all;
  for (std::size_t pool = 0; pool < pools.size(); ++pool) {
    bool begun = !pools[pool].anchored;
    for (const pooled_block& at : blocks) {
      if (at.pool != pool) continue;
      if (!begun && at.block != 0) all.push_back({pool, 0});
      begun = true;
      all.push_back(at);
    }
  }
  return all;
}

}  // namespace

validator::subject subject_of(const block_pool& pool, const mx::block_format& f) {
  return {.name = pool.name,
          .type = pool.type,
          .values = pool.bytes,
          .shape = {pool.blocks() * static_cast<std::uint64_t>(f.rows),
                    static_cast<std::uint64_t>(f.columns)}};
}

probe_choice choose_blocks(const std::vector<block_pool>& pools, const mx::block_format& f,
                           const std::vector<known_recipe>& recipes, std::size_t most) {
  made_blocks made(pools, f, recipes);
  const shown_once<pooled_block> shown(
      [&made](const pooled_block& at, std::size_t k) { return made(at, k); });
  partition groups(decided_by_blocks(recipes));
  const std::vector<pooled_block> first =
      splitting(blocks_beside({}, pools), ~std::size_t{0}, groups, shown);
  probe_choice choice;
  choice.blocks = anchored(without_needless(first, groups, shown), pools);
  choice.groups = groups.all();
  const auto beside = [&pools](const auto& taken) { return blocks_beside(taken, pools); };
  choice.more = further(choice.blocks, most, groups, beside, shown);
  for (std::size_t pool = 0; pool < pools.size(); ++pool) {
    if (!pools[pool].needed) continue;
    for (const std::size_t block : first_numbers(pools[pool].blocks())) {
      choice.blocks.push_back({pool, block});
    }
  }
  return choice;
}

}  // namespace golden::probe
