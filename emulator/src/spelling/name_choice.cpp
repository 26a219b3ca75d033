// SPDX-License-Identifier: Apache-2.0
// emulator/src/spelling/name_choice.cpp: the accepted names that an unknown one may mean, and the
// message for it.
#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "mx/spelling.h"

namespace mx {
namespace {

using name_list = std::vector<std::string_view>;

constexpr std::size_t unlike = std::numeric_limits<std::size_t>::max();

/// "blackwell", "mxf4" of "blackwell.mxf4".
name_list components_of(std::string_view text, const char* separators) {
  name_list parts;
  std::size_t begin = 0, end = 0;
  while ((end = text.find_first_of(separators, begin)) != text.npos) {
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

bool has_components_of(std::string_view name, std::string_view some) {
  const name_list all = components_of(name, ".-"), few = components_of(some, ".-");
  return std::all_of(few.begin(), few.end(), [&](std::string_view part) {
    return std::find(all.begin(), all.end(), part) != all.end();
  });
}

/// Fewest insertions, deletions, replacements and swaps of neighbours that turn one text into the
/// other.
std::size_t typing_errors(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1), above(row), above_that(row);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    above_that.swap(above);
    above.swap(row);
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      row[j + 1] = std::min({row[j] + 1, above[j + 1] + 1, above[j] + (a[i] == b[j] ? 0 : 1)});
      const bool swapped = i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j];
      if (swapped) row[j + 1] = std::min(row[j + 1], above_that[j - 1] + 1);
    }
  }
  return row.back();
}

/// The fewest typing errors of `asked` for a part of a name: adjacent components.
std::size_t errors_in_part(std::string_view asked, std::string_view name) {
  std::size_t fewest = unlike;
  const name_list parts = components_of(name, ".");
  for (std::size_t first = 0; first < parts.size(); ++first) {
    for (std::size_t last = first; last < parts.size(); ++last) {
      const char* end = parts[last].data() + parts[last].size();
      const auto size = static_cast<std::size_t>(end - parts[first].data());
      fewest = std::min(fewest, typing_errors(asked, {parts[first].data(), size}));
    }
  }
  return fewest;
}

/// How unlike a name is to what was asked for; at most a third of its characters are wrong.
std::size_t unlikeness(std::string_view asked, std::string_view name) {
  if (has_components_of(name, asked)) return 0;
  if (name.size() > 2 && has_components_of(asked, name)) return 1;
  const bool is_end = name.starts_with(asked) || name.ends_with(asked);
  if (is_end && asked.size() > 2) return 2;  // as one typing error
  // So many characters more are as many errors, and more than a third.
  if (2 * asked.size() > 3 * name.size()) return unlike;
  const std::size_t whole = typing_errors(asked, name), part = errors_in_part(asked, name);
  if (3 * part > asked.size()) return unlike;
  return whole == part ? 2 * whole : 2 * part + 1;
}

/// "`a`", "`a` or `b`", "`a`, `b`, `c` or one of 5 others"
std::string listed(const name_list& names) {
  constexpr std::size_t most = 4;
  const std::size_t shown = names.size() <= most ? names.size() : most - 1;
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    const bool last = i + 1 == names.size();
    text += (i == 0 ? "`" : last ? " or `" : ", `") + std::string(names[i]) + "`";
  }
  if (shown == names.size()) return text;
  return text + " or one of " + std::to_string(names.size() - shown) + " others";
}

}  // namespace

name_list near_names(std::string_view asked, const name_list& names) {
  name_list best;
  std::size_t least = unlike;
  for (const std::string_view name : names) {
    const std::size_t found = unlikeness(asked, name);
    if (found < least) best.clear();
    least = std::min(least, found);
    if (found == least && found != unlike) best.push_back(name);
  }
  return best;
}

std::string no_such_name(std::string_view what, std::string_view asked, const name_list& names) {
  const std::string text = "there is no " + std::string(what) + " `" + std::string(asked) + "`;";
  const name_list nearest = near_names(asked, names);
  return nearest.empty() ? text : text + " did you mean " + listed(nearest) + "?";
}

std::string unknown_name(std::string_view what, std::string_view asked, const name_list& names) {
  std::string text = no_such_name(what, asked, names);
  text += text.back() == '?' ? " There are:" : " there are:";
  for (const std::string_view name : names) text += " " + std::string(name);
  return text;
}

void throw_unknown(std::string_view what, std::string_view asked, const name_list& names) {
  throw std::invalid_argument(unknown_name(what, asked, names));
}

}  // namespace mx
