// SPDX-License-Identifier: Apache-2.0
// golden/io/gguf_note.h: the metadata of a GGUF file: keys and values of thirteen kinds.
// Source: ggml, docs/gguf.md, "File Structure": gguf_metadata_kv_t.
#pragma once
#include <string>

#include "golden/io/gguf_cursor.h"
#include "golden/io/gguf_type.h"

namespace golden::io {

struct gguf_note {
  std::string key;
  gguf_kind kind = gguf_kind::string;
  byte_view value;         ///< as stored in the file, lengths included; checked
  std::uint64_t byte = 0;  ///< of the file, where the note begins
};

/// Reads a key and its value.
///   errors  file_error: an unknown kind, a boolean beyond 1, arrays in more than 8 arrays
[[nodiscard]] gguf_note taken_note(gguf_cursor& from);

/// The value as text: a number as its type prints exactly, a string unchanged, an array as its
/// length and kind (`[3 of STRING]`), since it may be as long as the file.
[[nodiscard]] std::string text_of(const gguf_note& note);

}  // namespace golden::io
