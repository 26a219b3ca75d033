// SPDX-License-Identifier: Apache-2.0
// golden/io/safetensors_header.h: the JSON header of a safetensors file as a list of entries.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "golden/io/tensor.h"

namespace golden::io {

/// Description of one tensor, not yet checked against the data.
struct header_entry {
  std::string name;
  dtype type = dtype::f32;
  std::vector<std::uint64_t> shape;
  std::uint64_t begin = 0, end = 0;  ///< bytes from the start of the data
  std::uint64_t byte = 0;            ///< offset of its name in the file
};

struct safetensors_header {
  std::vector<header_entry> entries;  ///< in the order of the text
  io::metadata metadata;
};

///   start   of the text in its file
///   errors  file_error with the byte of the first wrong token, if the text is not JSON or not of
///           this form
[[nodiscard]] safetensors_header parse_header(std::string_view json, const file_place& start);

///   errors  file_error if a name is not UTF-8
[[nodiscard]] std::string header_text(const safetensors_header& header, const std::string& source);

}  // namespace golden::io
