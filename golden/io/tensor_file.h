// SPDX-License-Identifier: Apache-2.0
// golden/io/tensor_file.h: a file of tensors of any format that is known, by its extension.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "golden/io/tensor.h"

namespace golden::io {

/// An open file and the tensors in it. The tensors and their bytes live as long as one copy of this
/// does; a copy is cheap.
class tensor_file {
 public:
  ///   owner  of the tensors' bytes
  tensor_file(std::string path, std::shared_ptr<const void> owner, tensor_list contents);

  [[nodiscard]] const std::string& path() const { return state_->path; }
  [[nodiscard]] const std::vector<tensor>& tensors() const { return state_->contents.tensors; }
  [[nodiscard]] const io::metadata& metadata() const { return state_->contents.metadata; }
  /// Tensors of types that are known by name alone: they are neither found nor at hand.
  [[nodiscard]] const std::vector<foreign_tensor>& foreign() const {
    return state_->contents.foreign;
  }

  [[nodiscard]] const tensor* find(std::string_view name) const;  ///< null where there is none
  [[nodiscard]] const tensor& at(std::string_view name) const;  ///< file_error where there is none

 private:
  struct state {
    std::string path;
    std::shared_ptr<const void> owner;
    tensor_list contents;
    std::unordered_map<std::string_view, const tensor*> by_name;
  };
  std::shared_ptr<const state> state_;
};

/// Refuses a foreign tensor by its type, with the remedy.
[[noreturn]] void refuse_foreign(const foreign_tensor& tensor, const std::string& path);

/// Opens `.safetensors`, `.npy` or `.gguf`. The file is mapped, so that opening costs its header.
///   errors  file_error; a Python pickle is refused whatever its name is
[[nodiscard]] tensor_file load(const std::string& path);

/// Writes tensors as tensor_writer does.
///   errors  file_error, also where a tensor's bytes do not fit its shape
void save(const std::string& path, std::span<const tensor> tensors, const metadata& notes = {});

}  // namespace golden::io
