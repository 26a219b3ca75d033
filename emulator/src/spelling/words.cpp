// SPDX-License-Identifier: Apache-2.0
// emulator/src/spelling/words.cpp: splits a text of mx/spelling.h into words and numbers.
#include "spelling/words.h"

#include <stdexcept>
#include <string>

namespace mx::spelling {

void refuse(std::string_view part, std::string_view expected) {
  throw std::invalid_argument("`" + std::string(part) + "`: expected " + std::string(expected));
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

bool take(std::string_view& text, std::string_view word) {
  if (text.substr(0, word.size()) != word) return false;
  text.remove_prefix(word.size());
  return true;
}

bool take_number(std::string_view& text, int& number) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return true;
}

}  // namespace mx::spelling
