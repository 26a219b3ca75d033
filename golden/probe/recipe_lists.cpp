// SPDX-License-Identifier: Apache-2.0
// golden/probe/recipe_lists.cpp: rules by roundings by signs of zeros, presets and orders of
// operations, and storages.
#include "golden/probe/recipe_lists.h"

#include <algorithm>
#include <array>

#include "golden/probe/recipe_set.h"

namespace golden::probe {

using validator::alternative;
using validator::dimension;
using validator::hypothesis;

std::vector<alternative> recipe_lists::alternatives_to(const hypothesis& r) const {
  // A formula comes before the number as stored, which any formula's is.
  std::vector<alternative> list;
  append_formula_alternatives(r, list);
  std::vector<alternative> others = alternatives_of(r, subjects_, {true, 0, {}});
  std::move(others.begin(), others.end(), std::back_inserter(list));
  return list;
}

recipe_list recipe_lists::of_dimension(const hypothesis& from, dimension d) const {
  recipe_list list{from};
  for (const alternative& a : alternatives_to(from)) {
    if (a.what != d) continue;
    hypothesis r = from;
    a.apply(r);
    if (std::find(list.begin(), list.end(), r) == list.end()) list.push_back(r);
  }
  return list;
}

recipe_list recipe_lists::storages() const {
  recipe_list list;
  const hypothesis plain = plain_recipe(f_);
  for (const hypothesis& nibbles : of_dimension(plain, dimension::nibble_order)) {
    for (hypothesis r : of_dimension(plain, dimension::scale_layout)) {
      r.recipe.codes = nibbles.recipe.codes;
      list.push_back(r);
    }
  }
  return list;
}

recipe_list recipe_lists::bases() const {
  recipe_list list;
  recipe_set known;
  const auto append = [&](const hypothesis& r) {
    const hypothesis plainly = stored_as(r, hypothesis{});
    if (is_possible(plainly) && known.insert(plainly).second) list.push_back(plainly);
  };
  for (const known_recipe& k : ruled_recipes(f_)) {
    using enum validator::zero_sign;
    for (const validator::zero_sign sign : {kept, of_nonzero, positive}) {
      hypothesis r = k.rules;
      r.zeros.sign = sign;
      append(r);
    }
  }
  const hypothesis plain = plain_recipe(f_);
  for (const dimension d : {dimension::operation_order, dimension::variant}) {
    const recipe_list more = of_dimension(plain, d);
    std::for_each(more.begin() + 1, more.end(), append);
  }
  return list;
}

std::vector<changed_recipe> recipe_lists::changed_once(const hypothesis& rules) const {
  constexpr std::array visible{dimension::subnormals, dimension::element_rounding,
                               dimension::scale_offset, dimension::input_precision,
                               dimension::tensor_scale};
  std::vector<changed_recipe> list;
  recipe_set known{rules};
  for (const alternative& a : alternatives_to(rules)) {
    if (std::find(visible.begin(), visible.end(), a.what) == visible.end()) continue;
    hypothesis r = rules;
    a.apply(r);
    const bool is_base = a.what == dimension::element_rounding && r.overflow == rules.overflow;
    if (!is_base && is_possible(r) && known.insert(r).second) list.push_back({r, a.what});
  }
  std::stable_sort(list.begin(), list.end(), [&](const auto& a, const auto& b) {
    const auto rank = [&](dimension d) { return std::find(visible.begin(), visible.end(), d); };
    return rank(a.what) < rank(b.what);
  });
  return list;
}

hypothesis stored_as(hypothesis r, const hypothesis& storage) {
  r.recipe.codes = storage.recipe.codes;
  r.recipe.layout = storage.recipe.layout;
  r.placement = storage.placement;
  return r;
}

}  // namespace golden::probe
