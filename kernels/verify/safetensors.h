// SPDX-License-Identifier: Apache-2.0
// kernels/verify/safetensors.h: files of tensors for the `mxprism` command, with nothing but the
// standard library.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace mx::kernels {

/// Names hold nothing that JSON would want escaped.
///   type  as safetensors names it: "U8", "F32"
struct stored_tensor {
  std::string name, type;
  std::vector<std::int64_t> shape;
  std::vector<std::uint8_t> bytes;
};

using stored_notes = std::vector<std::pair<std::string, std::string>>;

///   errors  std::runtime_error where the file cannot be written
void write_safetensors(const std::filesystem::path& path, const std::vector<stored_tensor>& tensors,
                       const stored_notes& notes = {});

/// A text and bytes behind it, as a file.
void write_file(const std::filesystem::path& path, const std::string& text,
                const std::vector<std::uint8_t>& bytes = {});

}  // namespace mx::kernels
