// SPDX-License-Identifier: Apache-2.0
// golden/io/safetensors.h: safetensors: a JSON header with every offset, then the data.
// Source: the README of huggingface/safetensors, "Format".
#pragma once
#include <span>
#include <string>

#include "golden/io/file_frame.h"

namespace golden::io {

/// The tensors of a whole file, in the order of their data.
///   checked  header inside the file and at most 100 MB, valid JSON, no name twice, known types,
///            every tensor's bytes as many as its shape takes, no byte left out or used twice
///   source   names the file in errors (file_error)
[[nodiscard]] tensor_list parse_safetensors(byte_view file, const std::string& source);

/// Tensors in the given order, metadata sorted by key: the same plan gives the same bytes. The data
/// begins at a multiple of 8.
///   errors  file_error where a name appears twice or safetensors has no such type
[[nodiscard]] file_frame safetensors_frame(std::span<const tensor_plan> plans,
                                           const metadata& notes, const std::string& path);

}  // namespace golden::io
