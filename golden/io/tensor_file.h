// SPDX-License-Identifier: Apache-2.0
// golden/io/tensor_file.h: a file of tensors of any format that is known, by its extension.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "golden/io/tensor.h"

namespace golden::io {

/// An open file and the tensors in it. The tensors' bytes live as long as one copy of this does.
class tensor_file {
 public:
  tensor_file(std::string path, std::shared_ptr<const mapped_file> file, tensor_list contents)
      : path_(std::move(path)), file_(std::move(file)), contents_(std::move(contents)) {}

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::vector<tensor>& tensors() const { return contents_.tensors; }
  [[nodiscard]] const io::metadata& metadata() const { return contents_.metadata; }

  [[nodiscard]] const tensor* find(std::string_view name) const;  ///< null where there is none
  [[nodiscard]] const tensor& at(std::string_view name) const;  ///< file_error where there is none

 private:
  std::string path_;
  std::shared_ptr<const mapped_file> file_;
  tensor_list contents_;
};

/// Opens `.safetensors` or `.npy`.
///   errors  file_error
[[nodiscard]] tensor_file load(const std::string& path);

/// Writes `.safetensors`, or `.npy` (one tensor, whose name and metadata are not kept).
///   errors  file_error
void save(const std::string& path, std::span<const tensor> tensors, const metadata& notes = {});

}  // namespace golden::io
