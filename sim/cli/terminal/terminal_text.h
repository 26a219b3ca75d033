// SPDX-License-Identifier: Apache-2.0
// sim/cli/terminal/terminal_text.h: text wrapped to the terminal's width.
#pragma once
#include <string>
#include <string_view>

namespace sim::cli {

inline constexpr std::size_t page_width = 100;

/// Wraps words into lines of at most `width` columns.
///   indent  blanks before every line but the first, which the caller starts at `column`
[[nodiscard]] std::string wrapped(std::string_view words, std::size_t indent, std::size_t column,
                                  std::size_t width = page_width);

/// The first cell of a table's row: `words` from column `begin`, then blanks up to column `end`.
/// Words that leave no blank before `end` have the line to themselves.
[[nodiscard]] std::string cell(std::string_view words, std::size_t begin, std::size_t end);

}  // namespace sim::cli
