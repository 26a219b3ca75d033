// SPDX-License-Identifier: Apache-2.0
// golden/io/gguf.h: GGUF, the files of llama.cpp: notes, a list of tensors, then their data.
// Source: ggml, docs/gguf.md, "File Structure".
#pragma once
#include <span>
#include <string>

#include "golden/io/file_frame.h"

namespace golden::io {

/// The tensors of a whole file, in the order of their data; notes as text, see gguf_note.h.
///   foreign  tensors of types whose elements are not understood here
///   checked  every field inside the file, known versions and kinds, no name twice, every tensor's
///            bytes as many as its shape takes, each where the one before it ends, aligned; nothing
///            behind the last but its padding
///   source   names the file in errors (file_error)
[[nodiscard]] tensor_list parse_gguf(byte_view file, const std::string& source);

/// Version 3, with strings as notes; a note `general.alignment` is left out, since the file has an
/// alignment of its own, the usual one.
///   errors  file_error where a name appears twice or a type is none of GGUF's
[[nodiscard]] file_frame gguf_frame(std::span<const tensor_plan> plans, const metadata& notes,
                                    const std::string& path);

}  // namespace golden::io
