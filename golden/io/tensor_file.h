// SPDX-License-Identifier: Apache-2.0
// golden/io/tensor_file.h: a tensor file of any supported format, chosen by its extension.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "golden/io/tensor.h"

namespace golden::io {

/// An open file and its tensors. Tensors and bytes are valid while any copy of this object lives; a
/// copy is cheap.
class tensor_file {
 public:
  ///   owner  of the tensors' bytes
  tensor_file(std::string path, std::shared_ptr<const void> owner, tensor_list contents);

  [[nodiscard]] const std::string& path() const { return state_->path; }
  [[nodiscard]] const std::vector<tensor>& tensors() const { return state_->contents.tensors; }
  [[nodiscard]] const io::metadata& metadata() const { return state_->contents.metadata; }
  /// Tensors of unsupported types, known only by name: find() and at() do not return them.
  [[nodiscard]] const std::vector<foreign_tensor>& foreign() const {
    return state_->contents.foreign;
  }

  [[nodiscard]] const tensor* find(std::string_view name) const;  ///< null if missing
  [[nodiscard]] const tensor& at(std::string_view name) const;    ///< file_error if missing

 private:
  struct state {
    std::string path;
    std::shared_ptr<const void> owner;
    tensor_list contents;
    std::unordered_map<std::string_view, const tensor*> by_name;
  };
  std::shared_ptr<const state> state_;
};

/// " a b ...": the first names, each behind a space; " no tensor" for a file without any.
[[nodiscard]] std::string first_names(const tensor_file& file);

/// Refuses a foreign tensor with its type and the remedy.
[[noreturn]] void refuse_foreign(const foreign_tensor& tensor, const std::string& path);

/// Opens `.safetensors`, `.npy` or `.gguf`, or a model of several files (model_folder.h). Files are
/// mapped, so opening reads only their headers.
///   errors  file_error; a Python pickle is refused whatever its name
[[nodiscard]] tensor_file load(const std::string& path);

/// Writes tensors with tensor_writer.
///   errors  file_error, also if a tensor's bytes do not match its shape
void save(const std::string& path, std::span<const tensor> tensors, const metadata& notes = {});

}  // namespace golden::io
