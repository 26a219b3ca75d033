// SPDX-License-Identifier: Apache-2.0
// golden/probe/recipe_search.h: every known recipe that gives all bytes of a kernel's output, without
// one being declared.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "golden/probe/known_recipes.h"

namespace golden::probe {

/// How much of an output a preset or a scale rule gives.
///   blocks  of which codes and scale are as it says, under the storage that suits it best
struct near_recipe {
  std::string name;
  std::uint64_t blocks = 0, of = 0;
};

/// What the search found.
///   explaining  recipes that give every byte, rules without a preset first
///   nearest     the best ones, at most five, where nothing explains
///   storage     of the first that explains, or of the nearest
///   has_known_sizes  whether the bytes are as many as some recipe makes
struct search_result {
  std::vector<validator::recipe> explaining;
  std::vector<near_recipe> nearest;
  validator::recipe storage;
  bool has_known_sizes = false;
};

class recipe_finder;

/// Scale rules by roundings by signs of zeros, presets and orders of operations; each under every order
/// of nibbles and layout of scales; then what becomes of special blocks and blocks of zeros; where
/// nothing is left, one change more; then the validator's own search from the plain recipe.
class recipe_search {
 public:
  /// What is given outlives the search.
  recipe_search(const mx::block_format& f, std::span<const validator::subject> subjects);
  ~recipe_search();
  recipe_search(const recipe_search&) = delete;
  recipe_search& operator=(const recipe_search&) = delete;

  [[nodiscard]] const search_result& result() const { return result_; }

  /// Which of the explaining recipes count in a dimension.
  using counting = std::function<bool(const validator::recipe&, validator::dimension)>;

  /// For each dimension the values that fit, as recipes that give every byte: those of the explaining
  /// recipes and of their single changes, the first one with each word.
  [[nodiscard]] std::vector<std::vector<validator::recipe>> values_in(
      const std::vector<validator::dimension>& dimensions, const counting& counts);

 private:
  std::unique_ptr<recipe_finder> finder_;
  search_result result_;
};

}  // namespace golden::probe
