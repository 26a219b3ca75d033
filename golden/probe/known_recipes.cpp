// SPDX-License-Identifier: Apache-2.0
// golden/probe/known_recipes.cpp: known recipes from the validator's list of alternatives.
#include "golden/probe/known_recipes.h"

#include <algorithm>

#include "golden/validator/tensor/alternatives.h"
#include "golden/validator/tensor/dimension_words.h"
#include "mx/block/names.h"

namespace golden::probe {
namespace {

using validator::alternative;
using validator::dimension;
using validator::hypothesis;

bool is_of_places(dimension d) {
  constexpr dimension places[] = {dimension::nibble_order, dimension::scale_layout,
                                  dimension::block_axis, dimension::row_order,
                                  dimension::block_size};
  return std::find(std::begin(places), std::end(places), d) != std::end(places);
}

std::string named(const hypothesis& r, dimension d) {
  return std::string(name_of(d)) + " " + word_of(r, d);
}

std::vector<alternative> alternatives_to_plain(const mx::block_format& f,
                                               const std::vector<std::uint64_t>& shape) {
  const validator::subject s{.shape = shape};
  std::vector<alternative> list = alternatives_of(plain_recipe(f), {&s, 1}, {true, 0, {}});
  append_formula_alternatives(plain_recipe(f), list);
  return list;
}

/// The alternatives of one dimension as recipes.
std::vector<hypothesis> of_dimension(const mx::block_format& f, dimension d) {
  std::vector<hypothesis> list;
  for (const alternative& a : alternatives_to_plain(f, {1, 1})) {
    if (a.what != d) continue;
    list.push_back(plain_recipe(f));
    a.apply(list.back());
  }
  return list;
}

bool saturates(const hypothesis& r) { return r.overflow == validator::overflow_code::saturated; }

known_recipe changed(const mx::block_format& f, const alternative& a) {
  known_recipe k{"", plain_recipe(f), decided_by::block};
  a.apply(k.rules);
  k.name = named(k.rules, a.what);
  const bool rows = k.rules.format().tensor == mx::tensor_scaling::per_row;
  if (is_of_places(a.what) || rows) k.by = decided_by::places;
  if (k.rules.formula != validator::tensor_formula::own) k.by = decided_by::amax;
  return k;
}

bool has(const std::vector<known_recipe>& list, const hypothesis& r) {
  return std::any_of(list.begin(), list.end(),
                     [&r](const known_recipe& other) { return other.rules == r; });
}

/// The other scale rules of public kernels with an amax, or all numbers, in BF16: near a threshold
/// each is as the other.
void append_bfloat16(const mx::block_format& f, std::vector<known_recipe>& list) {
  for (const hypothesis& rule : of_dimension(f, dimension::scale_rule)) {
    const mx::scale_rule how = rule.recipe.rules.rule;
    if (how != mx::scale_rule::rceil && how != mx::scale_rule::even) continue;
    for (const auto who : {validator::rounded_for::scale, validator::rounded_for::everything}) {
      known_recipe k{"", rule, decided_by::block};
      k.rules.input = {validator::precision::bfloat16, who};
      k.name =
          named(rule, dimension::scale_rule) + "; " + named(k.rules, dimension::input_precision);
      if (is_possible(k.rules) && !has(list, k.rules)) list.push_back(std::move(k));
    }
  }
}

/// The orders of operations under a tensor scale of another formula, which is that of the finite
/// numbers: an Inf does not distinguish them.
void append_orders_of_finite(std::vector<known_recipe>& list) {
  const std::size_t count = list.size();
  for (std::size_t k = 0; k < count; ++k) {
    if (list[k].rules.arithmetic == nullptr || !list[k].rules.format().has_tensor_scale()) continue;
    known_recipe other = list[k];
    other.rules.formula = validator::tensor_formula::reciprocal;
    other.name += "; " + named(other.rules, dimension::tensor_scale);
    list.push_back(std::move(other));
  }
}

}  // namespace

hypothesis plain_recipe(const mx::block_format& f) {
  hypothesis r;
  r.recipe.rules.format = f;
  r.recipe.rules.rule = mx::default_rule(f);
  r.axes = 2;
  return r;
}

std::vector<known_recipe> ruled_recipes(const mx::block_format& f) {
  std::vector<known_recipe> list;
  std::vector<hypothesis> roundings = of_dimension(f, dimension::element_rounding);
  std::erase_if(roundings, [](const hypothesis& r) { return !saturates(r); });
  for (const hypothesis& rule : of_dimension(f, dimension::scale_rule)) {
    for (const hypothesis& rounding : roundings) {
      known_recipe k{"", rule, decided_by::block};
      k.rules.recipe.rules.rounding = rounding.recipe.rules.rounding;
      k.name = named(k.rules, dimension::scale_rule);
      if (k.rules.recipe.rules.rounding != mx::rounding::ties_to_even) {
        k.name += ", " + named(k.rules, dimension::element_rounding);
      }
      if (!is_possible(k.rules)) continue;
      const bool plain = k.rules == plain_recipe(f);
      list.insert(plain ? list.begin() : list.end(), std::move(k));
    }
  }
  return list;
}

std::vector<known_recipe> known_recipes(const mx::block_format& f,
                                        const std::vector<std::uint64_t>& shape) {
  std::vector<known_recipe> list = ruled_recipes(f);
  for (const alternative& a : alternatives_to_plain(f, shape)) {
    known_recipe k = changed(f, a);
    const bool of_rules = a.what == dimension::scale_rule || a.what == dimension::element_rounding;
    if (of_rules && saturates(k.rules)) continue;  // among ruled_recipes
    if (!has(list, k.rules) && is_possible(k.rules)) list.push_back(std::move(k));
  }
  append_bfloat16(f, list);
  append_orders_of_finite(list);
  return list;
}

}  // namespace golden::probe
