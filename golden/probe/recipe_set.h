// SPDX-License-Identifier: Apache-2.0
// golden/probe/recipe_set.h: a set of recipes.
#pragma once
#include <functional>
#include <unordered_set>

#include "golden/validator/hypothesis.h"

namespace golden::probe {

/// Hash of the members in which recipes of a search differ; equality compares the rest.
struct recipe_hash {
  [[nodiscard]] std::size_t operator()(const validator::hypothesis& r) const {
    const mx::recipe& recipe = r.recipe;
    return mixed(std::hash<const void*>()(r.arithmetic), recipe.preset, recipe.rules.rule,
                 recipe.rules.rounding, recipe.rules.format.bound, recipe.rules.format.tensor,
                 r.input.numbers, r.input.who, r.subnormals, r.zeros.sign, r.overflow, r.shift.by,
                 r.shift.reach, r.shift.end, r.above, recipe.codes.packing, recipe.codes.nibbles,
                 recipe.codes.sixes, recipe.layout, r.placement.motion, r.placement.by,
                 r.placement.end);
  }

 private:
  template <class... Parts>
  [[nodiscard]] static std::size_t mixed(Parts... parts) {
    std::size_t h = 0;
    const auto add = [&h](auto part) {
      h = (h ^ static_cast<std::size_t>(part)) * std::size_t{0x9E3779B97F4A7C15U};
      h ^= h >> 31;
    };
    (add(parts), ...);
    return h;
  }
};

using recipe_set = std::unordered_set<validator::hypothesis, recipe_hash>;

}  // namespace golden::probe
