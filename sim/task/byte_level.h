// SPDX-License-Identifier: Apache-2.0
// sim/task/byte_level.h: the alphabet in which byte-level BPE writes its tokens: one character a
// byte.
// Source: openai/gpt-2, src/encoder.py, bytes_to_unicode: bytes that print as Latin-1 stand for
// themselves, the others for U+0100 and on, in their order.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace sim {

/// The bytes that a token stands for; those of several tokens, joined, are text in UTF-8.
///   token    in UTF-8
///   returns  no value for a character outside of the alphabet
[[nodiscard]] std::optional<std::string> bytes_of_token(std::string_view token);

}  // namespace sim
