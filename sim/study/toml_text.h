// SPDX-License-Identifier: Apache-2.0
// sim/study/toml_text.h: parses TOML from untrusted files.
#pragma once
#include <string>
#include <string_view>

#include "sim/study/toml.h"

namespace sim {

/// Whether a source, or an error about it, is of an override: `override '...'`.
[[nodiscard]] bool is_override(std::string_view source);

/// Parses a text into a table.
///   refused  also texts on which the parser itself would fail: characters beyond ASCII outside of
///            strings and comments, and names of more than 32 parts
///   source   names the text in errors: a file, which has lines, or `override '...'`
///   errors   study_error with the line
[[nodiscard]] toml::table toml_in(std::string_view text, const std::string& source);

}  // namespace sim
