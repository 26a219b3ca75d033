// SPDX-License-Identifier: Apache-2.0
// emulator/src/spelling/name_choice.cpp: the nearest accepted name, and the message for an unknown
// one.
#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "mx/spelling.h"

namespace mx {
namespace {

// Fewest insertions, deletions and replacements that turn one text into the other.
std::size_t typing_errors(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace

std::string_view nearest_name(std::string_view asked, const std::vector<std::string_view>& names) {
  std::string_view best;
  std::size_t fewest = asked.size() / 2 + 1;
  for (const std::string_view name : names) {
    const bool begun = asked.size() > 2 && name.substr(0, asked.size()) == asked;
    // Texts of different lengths differ by at least that many errors.
    const std::size_t longer = std::max(asked.size(), name.size());
    if (!begun && longer - std::min(asked.size(), name.size()) >= fewest) continue;
    const std::size_t errors = begun ? 0 : typing_errors(asked, name);
    if (errors < fewest) {
      fewest = errors;
      best = name;
    }
  }
  return best;
}

std::string unknown_name(std::string_view what, std::string_view asked,
                         const std::vector<std::string_view>& names) {
  std::string text = "there is no " + std::string(what) + " `" + std::string(asked) + "`";
  const std::string_view nearest = nearest_name(asked, names);
  if (!nearest.empty()) text += "; did you mean `" + std::string(nearest) + "`?";
  text += nearest.empty() ? "; there are:" : " There are:";
  for (const std::string_view name : names) text += " " + std::string(name);
  return text;
}

void throw_unknown(std::string_view what, std::string_view asked,
                   const std::vector<std::string_view>& names) {
  throw std::invalid_argument(unknown_name(what, asked, names));
}

}  // namespace mx
