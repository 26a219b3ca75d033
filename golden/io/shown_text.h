// SPDX-License-Identifier: Apache-2.0
// golden/io/shown_text.h: what files and people say, as a terminal may show it.
#pragma once
#include <string>
#include <string_view>

namespace golden::io {

/// The first character of a text that is not empty, as it is shown.
///   length  of it in bytes
///   text    itself; \xNN for each byte of a control character (also U+0080 to U+009F, which terminals
///           obey as they obey an escape) and for a byte that is not UTF-8
struct shown_character {
  std::size_t length;
  std::string text;
};
[[nodiscard]] shown_character first_shown(std::string_view text);

/// A text in one line, all of whose characters are shown.
[[nodiscard]] std::string shown(std::string_view text);

}  // namespace golden::io
