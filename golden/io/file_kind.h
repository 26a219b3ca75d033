// SPDX-License-Identifier: Apache-2.0
// golden/io/file_kind.h: formats of tensor files, by file name extension.
#pragma once
#include <string>

namespace golden::io {

enum class file_kind : unsigned char { safetensors, npy, gguf };

///   errors  file_error: a pickle, recognized by its name, or an unknown extension
[[nodiscard]] file_kind kind_of(const std::string& path);

}  // namespace golden::io
