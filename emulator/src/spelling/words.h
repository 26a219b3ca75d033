// SPDX-License-Identifier: Apache-2.0
// emulator/src/spelling/words.h: a text of mx/spelling.h cut into words and numbers.
#pragma once
#include <charconv>
#include <string_view>
#include <vector>

namespace mx::spelling {

/// Throws std::invalid_argument: which part is wrong, and what was expected there.
[[noreturn]] void refuse(std::string_view part, std::string_view expected);

/// The parts between the marks; one where there is no mark.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char at);

/// Cuts a word off the front of the text; returns whether it is there.
bool take(std::string_view& text, std::string_view word);
/// Cuts a number off the front of the text; returns whether there is one.
bool take_number(std::string_view& text, int& number);

/// The number that the whole text is.
///   part, expected  what is refused where it is none
template <class T>
[[nodiscard]] T number_in(std::string_view text, std::string_view part, std::string_view expected) {
  T number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (text.empty() || error != std::errc() || stop != end) refuse(part, expected);
  return number;
}

}  // namespace mx::spelling
