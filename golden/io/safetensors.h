// SPDX-License-Identifier: Apache-2.0
// golden/io/safetensors.h: safetensors: a JSON header with every offset, then the data.
// Source: the README of huggingface/safetensors, "Format".
#pragma once
#include <span>
#include <string>

#include "golden/io/tensor.h"

namespace golden::io {

/// The tensors of a whole file, in the order of their data.
///   checked  header inside the file and at most 100 MB, valid JSON, no name twice, known types,
///            every tensor's bytes as many as its shape takes, no byte left out or used twice
///   source   names the file in errors (file_error)
[[nodiscard]] tensor_list parse_safetensors(byte_view file, const std::string& source);

/// Tensors and their data in the given order, metadata sorted by key: the same input gives the same
/// bytes.
///   errors  file_error where a name appears twice, bytes do not fit a shape, or writing fails
void write_safetensors(const std::string& path, std::span<const tensor> tensors,
                       const metadata& notes = {});

}  // namespace golden::io
