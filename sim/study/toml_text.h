// SPDX-License-Identifier: Apache-2.0
// sim/study/toml_text.h: TOML from files that may hold anything.
#pragma once
#include <string>
#include <string_view>

#include "sim/study/toml.h"

namespace sim {

/// The table that a text is.
///   refused  also texts on which the parser itself would go wrong: characters beyond ASCII outside of
///            strings and comments, and names of more parts than 32
///   source   names the text in errors: a file, which has lines, or `override '...'`
///   errors   study_error with the line
[[nodiscard]] toml::table toml_in(std::string_view text, const std::string& source);

}  // namespace sim
