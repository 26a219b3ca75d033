// SPDX-License-Identifier: Apache-2.0
// tests/unit/crosswalk_test.cpp: mx/crosswalk.h promises only names that exist.
#include "mx/crosswalk.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "catch.h"
#include "mx/layout.h"
#include "mx/names.h"
#include "mx/packing.h"
#include "mx/variants.h"

namespace {

template <class Table>
bool is_name(const Table& table, const std::string& word) {
  return std::any_of(std::begin(table), std::end(table),
                     [&](const auto& entry) { return entry.name == word; });
}

bool exists(const std::string& option, const std::string& word) {
  if (option == "--scale-rule") return is_name(mx::scale_rule_table, word);
  if (option == "--rounding") return is_name(mx::rounding_table, word);
  if (option == "--format") return is_name(mx::block_format_table, word);
  if (option == "--layout") return is_name(mx::scale_layout_table, word);
  if (option == "--packing") return is_name(mx::nibble_order_table, word);
  if (option == "--byte-map") return is_name(mx::byte_map_table, word);
  return option == "--variant" && mx::variant_named(word) != nullptr;
}

/// Words that follow an option, up to the next one: "--rounding nearest-even; stochastic".
std::vector<std::string> missing_names(std::string_view text) {
  std::string spaced(text);
  std::replace_if(
      spaced.begin(), spaced.end(), [](char c) { return c == ',' || c == ';'; }, ' ');
  std::istringstream words(spaced);
  std::vector<std::string> missing;
  std::string option;
  for (std::string word; words >> word;) {
    if (word.rfind("--", 0) == 0) {
      option = word;
    } else if (!option.empty() && word[0] != '+' && !exists(option, word)) {
      missing.push_back(option + " " + word);
    }
  }
  return missing;
}

TEST_CASE("every_name_after_an_option_in_the_crosswalk_exists") {
  int options = 0;
  for (const mx::crosswalk_entry& entry : mx::crosswalk_table) {
    INFO(entry.framework << ": " << entry.theirs);
    CHECK(missing_names(entry.ours).empty());
    options += entry.ours.find("--") != std::string_view::npos ? 1 : 0;
  }
  CHECK(options > 25);
}

TEST_CASE("every_variant_that_a_note_of_the_crosswalk_names_exists") {
  for (const mx::crosswalk_entry& entry : mx::crosswalk_table) {
    const std::size_t at = entry.note.find("--variant ");
    if (at == std::string_view::npos) continue;
    const std::string_view rest = entry.note.substr(at + 10);
    const std::string name(rest.substr(0, rest.find_first_of(" :,")));
    INFO(name);
    CHECK(mx::variant_named(name) != nullptr);
  }
}

}  // namespace
