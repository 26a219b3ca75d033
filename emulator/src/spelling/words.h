// SPDX-License-Identifier: Apache-2.0
// emulator/src/spelling/words.h: splits a text of mx/spelling.h into words and numbers.
#pragma once
#include <charconv>
#include <string_view>
#include <vector>

namespace mx::spelling {

/// Throws std::invalid_argument with the invalid part and what was expected there.
[[noreturn]] void refuse(std::string_view part, std::string_view expected);

/// The parts between separators; a single one if there is no separator.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char at);

/// Removes a word from the front of the text; returns whether it was there.
bool take(std::string_view& text, std::string_view word);
/// Removes a number from the front of the text; returns whether there was one.
bool take_number(std::string_view& text, int& number);

/// Parses the whole text as a number.
///   part, expected  reported if it is not a number
template <class T>
[[nodiscard]] T number_in(std::string_view text, std::string_view part, std::string_view expected) {
  T number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (text.empty() || error != std::errc() || stop != end) refuse(part, expected);
  return number;
}

}  // namespace mx::spelling
