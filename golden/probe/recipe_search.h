// SPDX-License-Identifier: Apache-2.0
// golden/probe/recipe_search.h: every known recipe that gives all bytes of a kernel's output,
// without a declared recipe.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "golden/probe/fitting_values.h"

namespace golden::probe {

/// The part of an output that a preset or a scale rule explains.
///   blocks  whose codes and scale match, under the best storage
struct near_recipe {
  std::string name;
  std::uint64_t blocks = 0, of = 0;
};

/// Result of the search.
///   explaining  recipes that give every byte, rules without a preset first
///   nearest     the best ones, at most five, if nothing explains
///   storage     of the first that explains, or of the nearest
///   has_known_sizes  whether some recipe makes as many bytes
struct search_result {
  std::vector<validator::hypothesis> explaining;
  std::vector<near_recipe> nearest;
  validator::hypothesis storage;
  bool has_known_sizes = false;
};

/// Tries scale rules by roundings by signs of zeros, presets and orders of operations, each under
/// every nibble order and scale layout; then rules for special blocks and blocks of zeros; if
/// nothing is left, one further change; then the validator's own search from the plain recipe.
class recipe_search {
 public:
  /// The arguments outlive the search.
  recipe_search(const mx::block_format& f, std::span<const validator::subject> subjects);

  [[nodiscard]] const search_result& result() const { return result_; }

  /// For each dimension the values that fit, as recipes that give every byte: those of the
  /// explaining recipes and of their single changes, the first one with each word.
  [[nodiscard]] std::vector<recipe_list> values_in(
      const std::vector<validator::dimension>& dimensions, const counting& counts);

 private:
  recipe_lists lists_;
  output_fit fit_;
  search_result result_;
};

}  // namespace golden::probe
