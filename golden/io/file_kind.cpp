// SPDX-License-Identifier: Apache-2.0
// golden/io/file_kind.cpp: formats of tensor files, by file name extension.
#include "golden/io/file_kind.h"

#include <filesystem>

#include "golden/io/pickle.h"

namespace golden::io {

file_kind kind_of(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".safetensors") return file_kind::safetensors;
  if (extension == ".npy") return file_kind::npy;
  if (extension == ".gguf") return file_kind::gguf;
  refuse_pickle_name(path);
  throw file_error(
      path, "unknown extension " + printable(extension) + "; expected .safetensors, .npy or .gguf");
}

}  // namespace golden::io
