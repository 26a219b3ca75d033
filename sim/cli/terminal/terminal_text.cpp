// SPDX-License-Identifier: Apache-2.0
// sim/cli/terminal/terminal_text.cpp: text wrapped to the terminal's width.
#include "sim/cli/terminal/terminal_text.h"

#include <algorithm>

namespace sim::cli {

std::string wrapped(std::string_view words, std::size_t indent, std::size_t column,
                    std::size_t width) {
  std::string text;
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    const std::string_view word = words.substr(0, end);
    const bool first = text.empty();
    if (!first && column + 1 + word.size() > width) {
      text += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (!first) {
      text += " ";
      ++column;
    }
    text += word;
    column += word.size();
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return text;
}

std::string cell(std::string_view words, std::size_t begin, std::size_t end) {
  const std::size_t next = begin + words.size();
  const std::string gap = next < end ? std::string(end - next, ' ') : "\n" + std::string(end, ' ');
  return std::string(words) + gap;
}

}  // namespace sim::cli
