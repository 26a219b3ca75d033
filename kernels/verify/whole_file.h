// SPDX-License-Identifier: Apache-2.0
// kernels/verify/whole_file.h: files that are written whole or not at all.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace mx::kernels {

/// Writes a text followed by bytes to a temporary file, which then replaces the file.
///   errors  std::runtime_error if it cannot be written
void write_file(const std::filesystem::path& path, const std::string& text,
                const std::vector<std::uint8_t>& bytes = {});

}  // namespace mx::kernels
