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
    std::size_t h = static_cast<std::size_t>(r.recipe.preset);
    const auto add = [&h](auto part) {
      h = (h ^ static_cast<std::size_t>(part)) * std::size_t{0x9E3779B97F4A7C15U};
      h ^= h >> 31;
    };
    add(std::hash<const void*>()(r.arithmetic));
    add(r.recipe.rules.rule);
    add(r.recipe.rules.rounding);
    add(r.recipe.rules.format.bound);
    add(r.recipe.rules.format.tensor);
    add(r.input.numbers);
    add(r.input.who);
    add(r.subnormals);
    add(r.zeros.sign);
    add(r.shift.by);
    add(r.shift.reach);
    add(r.shift.end);
    add(r.above);
    add(r.recipe.codes.packing);
    add(r.recipe.codes.nibbles);
    add(r.recipe.layout);
    add(r.placement.motion);
    add(r.placement.by);
    add(r.placement.end);
    return h;
  }
};

using recipe_set = std::unordered_set<validator::hypothesis, recipe_hash>;

}  // namespace golden::probe
