// SPDX-License-Identifier: Apache-2.0
// golden/io/gguf.h: GGUF, the files of llama.cpp: metadata, a list of tensors, then their data.
// Source: ggml, docs/gguf.md, "File Structure".
#pragma once
#include <span>
#include <string>

#include "golden/io/file_frame.h"

namespace golden::io {

/// The tensors of a whole file, in the order of their data; metadata as text, see gguf_note.h.
///   foreign  tensors of types whose elements are unsupported
///   checked  every field inside the file, known versions and kinds, unique names, every tensor's
///            size equal to that of its shape, each tensor aligned and beginning where the previous
///            one ends; nothing after the last but its padding
///   source   names the file in errors (file_error)
[[nodiscard]] tensor_list parse_gguf(byte_view file, const std::string& source);

/// Writes version 3, with metadata as strings; `general.alignment` is omitted, since the file has
/// its own alignment, the default one.
///   errors  file_error for a repeated name or a type that GGUF lacks
[[nodiscard]] file_frame gguf_frame(std::span<const tensor_plan> plans, const metadata& notes,
                                    const std::string& path);

}  // namespace golden::io
