// SPDX-License-Identifier: Apache-2.0
// golden/io/tensor_writer.h: writes a tensor file piece by piece, whole or not at all.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "golden/io/file_frame.h"
#include "golden/io/replaced_file.h"

namespace golden::io {

/// Writes `.safetensors`, `.npy` (one tensor, without name and metadata) or `.gguf`. The plan comes
/// first, then the data, in pieces of any size, so tensors may be larger than memory. An existing
/// file is unchanged until finish(), and stays so without it.
///   errors  file_error: a plan that the format cannot represent, more or fewer bytes than planned,
///           a full disk
class tensor_writer {
 public:
  tensor_writer(std::string path, std::vector<tensor_plan> plans, const metadata& notes = {});

  /// The next bytes of the data. After a complete tensor the next one begins.
  void append(byte_view bytes);
  void finish();

 private:
  void enter_tensor();
  void pass_complete_tensors();

  std::string path_;
  std::vector<tensor_plan> plans_;
  std::vector<std::uint64_t> gaps_;
  std::size_t current_ = 0;
  std::uint64_t size_ = 0, written_ = 0;  // of the current tensor
  std::optional<replaced_file> file_;
};

}  // namespace golden::io
