// SPDX-License-Identifier: Apache-2.0
// golden/io/shown_text.cpp: text from files and users, escaped for a terminal.
#include "golden/io/shown_text.h"

#include <algorithm>

#include "golden/io/utf8.h"

namespace golden::io {
namespace {

/// C0, DEL, and C1: in UTF-8 these are C2 80 to C2 9F.
bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7F;
  return character.size() == 2 && first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;
}

std::string in_hexadecimal(std::string_view bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += {'\\', 'x', digits[byte / 16], digits[byte % 16]};
  }
  return text;
}

}  // namespace

shown_character first_shown(std::string_view text) {
  const std::size_t length = character_length(text);
  const std::string_view first = text.substr(0, std::max<std::size_t>(length, 1));
  const bool hidden = length == 0 || is_control(first);
  return {first.size(), hidden ? in_hexadecimal(first) : std::string(first)};
}

std::string shown(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const shown_character next = first_shown(text);
    line += next.text;
    text.remove_prefix(next.length);
  }
  return line;
}

}  // namespace golden::io
