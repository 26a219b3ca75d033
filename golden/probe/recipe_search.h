// SPDX-License-Identifier: Apache-2.0
// golden/probe/recipe_search.h: every known recipe that gives all bytes of a kernel's output, without
// one being declared.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "golden/probe/known_recipes.h"

namespace golden::probe {

/// What else fits a recipe that explains an output, in one dimension.
struct equal_choice {
  validator::dimension what = validator::dimension::variant;
  validator::recipe rules;
};

/// A recipe that gives every byte.
struct explanation {
  validator::recipe rules;
  std::vector<equal_choice> others;
};

/// How much of an output a preset or a scale rule gives.
///   blocks  of which codes and scale are as it says, under the storage that suits it best
struct near_recipe {
  std::string name;
  std::uint64_t blocks = 0, of = 0;
};

/// What the search found.
///   explaining  rules without a preset first
///   nearest     the best ones, at most five, where nothing explains
///   storage     of the first that explains, or of the nearest
///   has_known_sizes  whether the bytes are as many as some recipe makes
struct search_result {
  std::vector<explanation> explaining;
  std::vector<near_recipe> nearest;
  validator::recipe storage;
  bool has_known_sizes = false;
};

/// Scale rules by roundings by signs of zeros, presets and orders of operations; each under every order
/// of nibbles and layout of scales; then what becomes of special blocks and blocks of zeros; where
/// nothing is left, one change more; then the validator's own search from the plain recipe.
[[nodiscard]] search_result find_recipes(const mx::block_format& f,
                                         std::span<const validator::subject> subjects);

}  // namespace golden::probe
