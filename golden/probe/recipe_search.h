// SPDX-License-Identifier: Apache-2.0
// golden/probe/recipe_search.h: every known recipe that gives all bytes of a kernel's output,
// without a declared recipe.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "golden/probe/fitting_values.h"
#include "golden/probe/near_search.h"
#include "golden/validator/verdict.h"

namespace golden::probe {

/// Result of the search.
///   explaining  recipes that give every byte, rules without a preset first
///   nearest     the best ones, at most five, if nothing explains
///   partial     if the best one leaves few blocks, or a part: recipes that give every byte of the
///               others
///   changes     of the nearest or the plain recipe, which the validator found to explain all
///   changed     the name of that recipe
///   part        where the changes hold, if not everywhere: then no recipe explains all
///   storage     of the first that explains, or of the nearest
///   has_known_sizes  whether some recipe makes as many bytes
struct search_result {
  std::vector<validator::hypothesis> explaining, partial;
  std::vector<near_recipe> nearest;
  std::vector<validator::change> changes;
  std::string changed, part;
  validator::hypothesis storage;
  bool has_known_sizes = false;

  /// Those that explain the output, or all but few blocks of it.
  [[nodiscard]] const std::vector<validator::hypothesis>& fitting() const {
    return explaining.empty() ? partial : explaining;
  }
};

/// Tries scale rules by roundings by signs of zeros, presets and orders of operations, each under
/// every nibble order and scale layout; then rules for special blocks and blocks of zeros; if
/// nothing is left, one further change; then the validator's own search from the plain recipe; then
/// the nearest recipes, and the validator's search from the best one.
class recipe_search {
 public:
  /// The arguments outlive the search.
  recipe_search(const mx::block_format& f, std::span<const validator::subject> subjects,
                const search_progress& progress = {});

  [[nodiscard]] const search_result& result() const { return result_; }

  /// For each dimension the values that fit, as recipes that give every byte: those of the
  /// fitting recipes and of their single changes, the first one with each word.
  [[nodiscard]] std::vector<recipe_list> values_in(
      const std::vector<validator::dimension>& dimensions, const counting& counts);
  /// Whether recipes that fit a sample were left out.
  [[nodiscard]] bool is_cut_short() const { return fit_->is_exhausted(); }

 private:
  recipe_lists lists_;
  std::unique_ptr<output_fit> fit_;
  search_result result_;
};

}  // namespace golden::probe
