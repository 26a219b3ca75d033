// SPDX-License-Identifier: Apache-2.0
// golden/probe/near_search.h: the recipes, and recipes with one more change, that explain the most
// blocks of an output that nothing explains.
#pragma once
#include <string>
#include <vector>

#include "golden/probe/output_fit.h"
#include "golden/probe/recipe_lists.h"
#include "golden/probe/search_progress.h"

namespace golden::probe {

/// The part of an output that a recipe explains.
///   name  "rceil, nearest-even; input_precision bf16, for the scale only", or a preset's
///   odd   the blocks that it does not explain
struct near_recipe {
  std::string name;
  std::uint64_t blocks = 0, of = 0;
  validator::hypothesis rules = {};
  std::vector<block_sort::place> odd = {};
};

/// The best ones under any storage, at most five of different names; a changed recipe only if it
/// explains more than the one without the change. Blocks with NaN or Inf and blocks of zeros have
/// the rules that explain most of them.
///   bases, storages  whose product is compared
[[nodiscard]] std::vector<near_recipe> nearest_recipes(output_fit& fit, const recipe_lists& lists,
                                                       const recipe_list& bases,
                                                       const recipe_list& storages,
                                                       const search_progress& progress);

}  // namespace golden::probe
