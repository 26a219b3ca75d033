// SPDX-License-Identifier: Apache-2.0
// golden/io/utf8.h: validation of UTF-8.
// Source: RFC 3629, "Syntax of UTF-8 Byte Sequences".
#pragma once
#include <cstddef>
#include <optional>
#include <string_view>

namespace golden::io {

/// Bytes of the first character; 0 if invalid: truncated, overlong, a surrogate, or beyond
/// U+10FFFF.
[[nodiscard]] std::size_t character_length(std::string_view text);

/// Index of the first byte that belongs to no character.
[[nodiscard]] std::optional<std::size_t> first_byte_that_is_not_utf8(std::string_view text);

}  // namespace golden::io
