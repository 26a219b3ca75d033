// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/preference.cpp: explanations by the size of their changes.
#include "preference.h"

#include <algorithm>

namespace golden::validator {
namespace {

bool changes(const explanation& e, dimension what) {
  return std::any_of(e.changes.begin(), e.changes.end(),
                     [&](const change& c) { return c.dimension == name_of(what); });
}

/// "vllm" of "vllm.ue8m0-old"
std::string_view project_of(std::string_view preset) {
  return preset.substr(0, preset.find_first_of(".-"));
}

/// Rules that another preset replaces, of its project or of another one.
constexpr int of_project = 2, of_others = 3;

int replaced_rules(const explanation& e) {
  int rules = changes(e, dimension::operation_order) ? 1 : 0;
  for (const change& c : e.changes) {
    if (c.dimension != name_of(dimension::variant)) continue;
    rules += project_of(c.expected) == project_of(c.found) ? of_project : of_others;
  }
  return rules;
}

/// How much an explanation takes from the file: a number under which blocks are encoded, or one
/// that stands beside them.
int taken_from_file(const explanation& e) {
  if (!changes(e, dimension::tensor_scale)) return 0;
  if (e.kernel.above == tensor_source::other_written) return 2;
  return e.kernel.above == tensor_source::as_stored ? 1 : 0;
}

}  // namespace

std::vector<explanation> preferred(std::vector<explanation> all) {
  int least = 2;
  for (const explanation& e : all) {
    if (changes(e, dimension::tensor_scale)) least = std::min(least, taken_from_file(e));
  }
  std::erase_if(all, [&](const explanation& e) { return taken_from_file(e) > least; });
  std::stable_sort(all.begin(), all.end(), [](const explanation& a, const explanation& b) {
    return replaced_rules(a) < replaced_rules(b);
  });
  return all;
}

bool are_foreign_presets(const std::vector<explanation>& all) {
  return std::ranges::all_of(all,
                             [](const explanation& e) { return replaced_rules(e) >= of_others; });
}

std::vector<explanation> of_nan(const hypothesis& declared, nan_alone nan,
                                std::vector<explanation> all) {
  std::erase_if(all, [](const explanation& e) {
    return !changes(e, dimension::nan_rule) && !changes(e, dimension::variant);
  });
  if (!all.empty()) return all;
  const bool signs = nan == nan_alone::signs;
  const std::string what = signs ? "signs of NaN" : "codes of NaN";
  all.push_back({{{name_of(dimension::nan_rule), what + " as declared",
                   "other " + what + ", and no other difference"}},
                 declared});
  return all;
}

}  // namespace golden::validator
