// SPDX-License-Identifier: Apache-2.0
// golden/io/file_frame.h: the bytes of a tensor file other than the tensor data.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "golden/io/tensor.h"

namespace golden::io {

/// A tensor to be written: all that must be known before its data.
struct tensor_plan {
  std::string name;
  dtype type = dtype::f32;
  std::vector<std::uint64_t> shape;
};

/// Bytes of a planned tensor.
///   errors  as for byte_count(tensor); source names the file
[[nodiscard]] std::uint64_t byte_count(const tensor_plan& plan, const std::string& source);

/// The bytes before the data of the first tensor, and the count of zeros after that of each.
struct file_frame {
  std::vector<std::uint8_t> prefix;
  std::vector<std::uint64_t> gaps;
};

}  // namespace golden::io
