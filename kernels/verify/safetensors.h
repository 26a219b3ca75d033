// SPDX-License-Identifier: Apache-2.0
// kernels/verify/safetensors.h: writes tensor files for the `mxprism` command, using only the
// standard library.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace mx::kernels {

/// Names contain no characters that JSON escapes.
///   type  as safetensors names it: "U8", "F32"
struct stored_tensor {
  std::string name, type;
  std::vector<std::int64_t> shape;
  std::vector<std::uint8_t> bytes;
};

using stored_notes = std::vector<std::pair<std::string, std::string>>;

///   errors  std::runtime_error if the file cannot be written
void write_safetensors(const std::filesystem::path& path, const std::vector<stored_tensor>& tensors,
                       const stored_notes& notes = {});

}  // namespace mx::kernels
