// SPDX-License-Identifier: Apache-2.0
// golden/io/safetensors.h: safetensors: a JSON header with every offset, then the data.
// Source: the README of huggingface/safetensors, "Format".
#pragma once
#include <span>
#include <string>

#include "golden/io/file_frame.h"

namespace golden::io {

/// The tensors of a whole file, in the order of their data.
///   checked  header inside the file and at most 100 MB, valid JSON, unique names, known types,
///            every tensor's size equal to that of its shape, every data byte used exactly once
///   source   names the file in errors (file_error)
[[nodiscard]] tensor_list parse_safetensors(byte_view file, const std::string& source);

/// Writes tensors in the given order, metadata sorted by key: equal plans give equal bytes. The
/// data begins at a multiple of 8.
///   errors  file_error for a repeated name or a type that safetensors lacks
[[nodiscard]] file_frame safetensors_frame(std::span<const tensor_plan> plans,
                                           const metadata& notes, const std::string& path);

}  // namespace golden::io
