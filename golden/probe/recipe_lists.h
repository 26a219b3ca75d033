// SPDX-License-Identifier: Apache-2.0
// golden/probe/recipe_lists.h: the recipes that a search compares with an output, from the
// validator's alternatives.
#pragma once
#include <span>
#include <vector>

#include "golden/probe/known_recipes.h"
#include "golden/validator/tensor/alternatives.h"

namespace golden::probe {

using recipe_list = std::vector<validator::hypothesis>;

/// A recipe with one change, and its dimension.
struct changed_recipe {
  validator::hypothesis rules;
  validator::dimension what;
};

class recipe_lists {
 public:
  recipe_lists(const mx::block_format& f, std::span<const validator::subject> subjects)
      : f_(f), subjects_(subjects) {}

  [[nodiscard]] std::vector<validator::alternative> alternatives_to(
      const validator::hypothesis& r) const;
  /// The recipe, then its alternatives in one dimension, each once.
  [[nodiscard]] recipe_list of_dimension(const validator::hypothesis& from,
                                         validator::dimension d) const;
  /// Every order of nibbles with every layout.
  [[nodiscard]] recipe_list storages() const;
  /// Rules for ordinary blocks, each once, in the plain storage.
  [[nodiscard]] recipe_list bases() const;
  /// A recipe with each further change that is visible in ordinary blocks.
  [[nodiscard]] std::vector<changed_recipe> changed_once(const validator::hypothesis& rules) const;

 private:
  const mx::block_format& f_;
  std::span<const validator::subject> subjects_;
};

/// Whether the tensor scale is the number in the file, which fits wherever a formula does.
[[nodiscard]] inline bool takes_scale(const validator::hypothesis& r) {
  return r.above == validator::tensor_source::as_stored;
}

/// A recipe with the nibble order and the layout of another.
[[nodiscard]] validator::hypothesis stored_as(validator::hypothesis r,
                                              const validator::hypothesis& storage);

}  // namespace golden::probe
