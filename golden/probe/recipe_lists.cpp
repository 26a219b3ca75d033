// SPDX-License-Identifier: Apache-2.0
// golden/probe/recipe_lists.cpp: rules by roundings by signs of zeros, presets and orders of operations, and
// storages.
#include "golden/probe/recipe_lists.h"

#include <algorithm>

namespace golden::probe {

using validator::alternative;
using validator::dimension;
using validator::hypothesis;

std::vector<alternative> recipe_lists::alternatives_to(const hypothesis& r) const {
  return alternatives_of(r, subjects_, {true, 0, {}});
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
  for (const known_recipe& k : ruled_recipes(f_)) {
    using enum validator::zero_sign;
    for (const validator::zero_sign sign : {kept, of_nonzero, positive}) {
      list.push_back(k.rules);
      list.back().zeros.sign = sign;
    }
  }
  const hypothesis plain = plain_recipe(f_);
  for (const dimension d : {dimension::operation_order, dimension::variant}) {
    const recipe_list more = of_dimension(plain, d);
    list.insert(list.end(), more.begin() + 1, more.end());
  }
  return list;
}

recipe_list recipe_lists::under_every_storage(const recipe_list& rules,
                                              const recipe_list& storages) {
  recipe_list list;
  for (const hypothesis& base : rules) {
    for (const hypothesis& storage : storages) {
      const hypothesis r = stored_as(base, storage);
      const auto last = std::min(list.size(), storages.size());
      const auto from = list.end() - static_cast<std::ptrdiff_t>(last);
      if (std::find(from, list.end(), r) == list.end()) list.push_back(r);
    }
  }
  return list;
}

recipe_list recipe_lists::changed_once(const recipe_list& rules) const {
  recipe_list list;
  for (const hypothesis& r : rules) {
    if (r.placement.motion != validator::scale_motion::none) continue;
    for (const dimension d : {dimension::subnormals, dimension::scale_offset,
                              dimension::input_precision, dimension::tensor_scale}) {
      const recipe_list more = of_dimension(r, d);
      list.insert(list.end(), more.begin() + 1, more.end());
    }
  }
  return list;
}

hypothesis stored_as(hypothesis r, const hypothesis& storage) {
  r.recipe.codes = storage.recipe.codes;
  r.recipe.layout = storage.recipe.layout;
  r.placement = storage.placement;
  return r;
}

}  // namespace golden::probe
