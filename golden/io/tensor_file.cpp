// SPDX-License-Identifier: Apache-2.0
// golden/io/tensor_file.cpp: a file of tensors of any format that is known, by its extension.
#include "golden/io/tensor_file.h"

#include <filesystem>

#include "golden/io/npy.h"
#include "golden/io/safetensors.h"

namespace golden::io {
namespace {

enum class file_kind : unsigned char { safetensors, npy };

file_kind kind_of(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".safetensors") return file_kind::safetensors;
  if (extension == ".npy") return file_kind::npy;
  throw file_error(path,
                   "unknown extension " + printable(extension) + "; expected .safetensors or .npy");
}

}  // namespace

const tensor* tensor_file::find(std::string_view name) const {
  for (const tensor& candidate : tensors()) {
    if (candidate.name == name) return &candidate;
  }
  return nullptr;
}

const tensor& tensor_file::at(std::string_view name) const {
  if (const tensor* found = find(name)) return *found;
  std::string names;
  for (const tensor& candidate : tensors()) {
    if (names.size() > 400) {
      names += " ...";
      break;
    }
    names += " " + printable(candidate.name);
  }
  throw file_error(path_, name,
                   names.empty() ? "is missing: the file holds no tensor"
                                 : "is missing; the file holds" + names);
}

tensor_file load(const std::string& path) {
  const file_kind kind = kind_of(path);
  auto file = std::make_shared<const mapped_file>(path);
  tensor_list contents = kind == file_kind::npy ? parse_npy(file->bytes(), path)
                                                : parse_safetensors(file->bytes(), path);
  return {path, std::move(file), std::move(contents)};
}

void save(const std::string& path, std::span<const tensor> tensors, const metadata& notes) {
  if (kind_of(path) == file_kind::safetensors) return write_safetensors(path, tensors, notes);
  if (tensors.size() != 1) {
    throw file_error(path, "a .npy file holds exactly one tensor, not " +
                               std::to_string(tensors.size()) + "; write .safetensors instead");
  }
  write_npy(path, tensors.front());
}

}  // namespace golden::io
