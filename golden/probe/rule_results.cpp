// SPDX-License-Identifier: Apache-2.0
// golden/probe/rule_results.cpp: predicts a block when it is first asked for.
#include "golden/probe/rule_results.h"

#include <algorithm>

#include "golden/probe/recipe_lists.h"

namespace golden::probe {

rule_results::rule_results(const validator::hypothesis& r, output_fit& fit)
    : rules_(stored_as(r, validator::hypothesis{})),
      fit_(fit),
      pages_(fit.distinct().inputs() / page_inputs + 1) {
  for (const validator::subject& s : fit.subjects()) {
    predictions_.emplace_back(rules_, s, fit.extents());
  }
}

bool rule_results::agrees_on_tensor_scales() const {
  return std::all_of(predictions_.begin(), predictions_.end(),
                     [](const auto& p) { return p.agrees_on_tensor_scales(); });
}

const rule_results::made_block& rule_results::made_of(std::uint32_t input) {
  std::unique_ptr<page>& at = pages_[input / page_inputs];
  if (!at) at = std::make_unique<page>();
  made_block& made = (*at)[input % page_inputs];
  if (made.is_made) return made;
  const block_sort::place& first = fit_.distinct().first_with(input);
  predictions_[first.tensor].make(first.block, space_);
  made = {true, space_.scale, fit_.distinct().number_of(space_.codes)};
  return made;
}

bool rule_results::explains(const block_statement& found) {
  if (made_of(found.input).codes != found.codes) return false;
  const bool moved = found.source == block_statement::no_source;
  return (moved ? 0 : made_of(found.source).scale) == found.scale;
}

bool rule_results::explains_all(const std::vector<counted_statement>& list) {
  return std::all_of(list.begin(), list.end(),
                     [&](const counted_statement& s) { return explains(s.says); });
}

std::uint64_t rule_results::blocks_explained(const std::vector<counted_statement>& list) {
  std::uint64_t count = 0;
  for (const counted_statement& s : list) count += explains(s.says) ? s.at.count : 0;
  return count;
}

}  // namespace golden::probe
