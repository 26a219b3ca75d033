// SPDX-License-Identifier: Apache-2.0
// golden/io/chosen_tensors.cpp: matches names, and keeps the file open for the chosen tensors.
#include "golden/io/chosen_tensors.h"

#include <algorithm>
#include <iterator>

namespace golden::io {
namespace {

/// Where the rest fails, only the last * passed takes one character more: what an earlier one takes
/// decides nothing that a later one cannot.
bool matches_pattern(std::string_view pattern, std::string_view name) {
  constexpr std::size_t none = std::string_view::npos;
  std::size_t at = 0, star = none, behind_star = 0;
  for (std::size_t i = 0; i < name.size();) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      behind_star = i;
    } else if (at < pattern.size() && pattern[at] == name[i]) {
      ++at, ++i;
    } else if (star != none) {
      at = star + 1;
      i = ++behind_star;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == none;
}

void expect_matched(const tensor_file& file, const std::string& pattern) {
  const auto fits = [&](const auto& t) { return matches_pattern(pattern, t.name); };
  if (std::ranges::any_of(file.tensors(), fits) || std::ranges::any_of(file.foreign(), fits)) return;
  throw file_error(file.path(), "has no tensor whose name matches " + printable(pattern) +
                                    "; the file holds" + first_names(file));
}

}  // namespace

bool matches(const name_patterns& patterns, std::string_view name) {
  return patterns.empty() || std::ranges::any_of(patterns, [&](const std::string& p) {
           return matches_pattern(p, name);
         });
}

tensor_file chosen_tensors(const tensor_file& all, const name_patterns& patterns) {
  for (const std::string& pattern : patterns) expect_matched(all, pattern);
  const auto is_chosen = [&](const auto& t) { return matches(patterns, t.name); };
  tensor_list chosen;
  std::ranges::copy_if(all.tensors(), std::back_inserter(chosen.tensors), is_chosen);
  std::ranges::copy_if(all.foreign(), std::back_inserter(chosen.foreign), is_chosen);
  chosen.metadata = all.metadata();
  return {all.path(), std::make_shared<const tensor_file>(all), std::move(chosen)};
}

}  // namespace golden::io
