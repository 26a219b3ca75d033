// SPDX-License-Identifier: Apache-2.0
// golden/io/shown_text.h: text from files and users, escaped for a terminal.
#pragma once
#include <string>
#include <string_view>

namespace golden::io {

/// The first character of a nonempty text, escaped.
///   length  its length in bytes
///   text    unchanged; \xNN for each byte of a control character (also U+0080 to U+009F, which
///           terminals interpret like an escape) and for each byte of invalid UTF-8
struct shown_character {
  std::size_t length;
  std::string text;
};
[[nodiscard]] shown_character first_shown(std::string_view text);

/// A text in one line, all characters escaped.
[[nodiscard]] std::string shown(std::string_view text);

}  // namespace golden::io
