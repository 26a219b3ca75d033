// SPDX-License-Identifier: Apache-2.0
// golden/validator/places/part_search.cpp: which explanations of a part are looked for.
#include "part_search.h"

#include <algorithm>

#include "part_contents.h"
#include "part_rules.h"

namespace golden::validator {
namespace {

bool has_parts(const tensor_result& r) { return r.fits && r.found.tensor_scales_agree; }

}  // namespace

std::vector<explanation> explained_in_parts(const hypothesis& declared,
                                            std::span<const subject> subjects,
                                            std::span<const tensor_result> results) {
  if (is_of_whole(declared) || !std::all_of(results.begin(), results.end(), has_parts)) return {};
  std::uint64_t evidence = 0;
  for (const tensor_result& r : results) evidence += r.found.independent;
  if (evidence < least_evidence) return {};
  std::vector<explanation> left = rules_in_parts(declared, subjects, results);
  return left.empty() ? contents_in_parts(declared, subjects, results) : left;
}

}  // namespace golden::validator
