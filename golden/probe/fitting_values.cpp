// SPDX-License-Identifier: Apache-2.0
// golden/probe/fitting_values.cpp: tries a change only if its word is new and no earlier recipe
// decided it.
#include "golden/probe/fitting_values.h"

#include "golden/validator/tensor/dimension_words.h"

namespace golden::probe {

using validator::dimension;
using validator::hypothesis;

fitting_values::fitting_values(output_fit& fit, const recipe_lists& lists,
                               const std::vector<dimension>& dimensions)
    : fit_(fit), lists_(lists), dimensions_(dimensions) {
  for (const dimension d : dimensions) found_[d] = {};
}

fitting_values::of_dimension* fitting_values::asked(const hypothesis& r, dimension d,
                                                    const counting& counts) {
  const auto found = found_.find(d);
  return found == found_.end() || !counts(r, d) ? nullptr : &found->second;
}

/// Whether the same rules were added before under a storage that finds the same bytes in all
/// blocks.
bool fitting_values::repeats_another(const hypothesis& r) {
  const std::optional<std::size_t> reading = fit_.reading_of(r);
  return reading && !added_[*reading].insert(stored_as(r, hypothesis{})).second;
}

/// Whether a change concerns blocks that the output lacks: numbers are read unchanged, so none
/// becomes NaN, Inf or zero.
bool fitting_values::concerns_no_block(const hypothesis& r, const hypothesis& other,
                                       dimension d) const {
  if (!fit_.is_of_blocks(r) || !(r.input == validator::input_rule{})) return false;
  if (d == dimension::nan_rule) return fit_.lacks(block_sort::kind::special);
  return d == dimension::zero_rule && other.zeros.sign == r.zeros.sign &&
         r.subnormals == validator::subnormal_rule::kept && fit_.lacks(block_sort::kind::zero);
}

void fitting_values::add(const hypothesis& r, const counting& counts) {
  for (const dimension d : dimensions_) {
    of_dimension* const values = asked(r, d, counts);
    if (values != nullptr && values->words.insert(word_of(r, d)).second) {
      values->recipes.push_back(r);
    }
  }
  const bool repeated = repeats_another(r);
  for (const validator::alternative& a : lists_.alternatives_to(r)) {
    of_dimension* const values = asked(r, a.what, counts);
    if (values == nullptr) continue;
    hypothesis other = r;
    a.apply(other);
    if (a.what == dimension::tensor_scale && takes_scale(other)) continue;
    const bool moved = a.what == dimension::nibble_order || a.what == dimension::scale_layout;
    // The earlier recipe had the same change, which fitted there exactly if it fits here.
    if (repeated && !moved && fit_.reading_of(other) == fit_.reading_of(r)) continue;
    std::string word = word_of(other, a.what);
    if (values->words.contains(word)) continue;
    const bool same = concerns_no_block(r, other, a.what);
    if (!same && (!fit_.has_sizes(other) || !fit_.is_explained(other))) continue;
    values->words.insert(std::move(word));
    values->recipes.push_back(other);
  }
}

std::vector<recipe_list> fitting_values::found() const {
  std::vector<recipe_list> list;
  for (const dimension d : dimensions_) list.push_back(found_.at(d).recipes);
  return list;
}

}  // namespace golden::probe
