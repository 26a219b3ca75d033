// SPDX-License-Identifier: Apache-2.0
// golden/bindings/option_words.cpp: words NAME=VALUE separated by blanks.
#include "golden/bindings/option_words.h"

#include <algorithm>
#include <charconv>

#include "golden/bindings/guard.h"
#include "mx/spelling.h"

namespace bindings {

option_words::option_words(const char* text, const std::vector<std::string_view>& names) {
  std::string_view rest = text == nullptr ? "" : text;
  while (true) {
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    if (rest.empty()) return;
    const std::string_view word = rest.substr(0, rest.find(' '));
    add(word, names);
    rest.remove_prefix(word.size());
  }
}

void option_words::add(std::string_view word, const std::vector<std::string_view>& names) {
  const auto sign = word.find('=');
  const std::string name(word.substr(0, sign));
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    throw refused(mx_status_bad_name, mx::unknown_name("option", name, names));
  }
  if (sign == std::string_view::npos || sign + 1 == word.size()) {
    throw refused(mx_status_bad_name, name + " has no value; expected " + name + "=VALUE");
  }
  if (value(name)) throw refused(mx_status_bad_name, name + " appears twice");
  words_.emplace_back(name, word.substr(sign + 1));
}

std::optional<std::string> option_words::value(std::string_view name) const {
  for (const auto& [word, text] : words_) {
    if (word == name) return text;
  }
  return {};
}

std::optional<std::uint64_t> option_words::number(std::string_view name, std::uint64_t first,
                                                  std::uint64_t last) const {
  const auto text = value(name);
  if (!text) return {};
  std::uint64_t number = 0;
  const char* end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, number);
  if (error == std::errc() && stop == end && number >= first && number <= last) return number;
  throw refused(mx_status_bad_name, std::string(name) + "=" + *text +
                                        ": expected a whole number from " + std::to_string(first) +
                                        " to " + std::to_string(last));
}

}  // namespace bindings
