// SPDX-License-Identifier: Apache-2.0
// golden/io/text_file.h: the whole text of a small file.
#pragma once
#include <cstdint>
#include <string>

namespace golden::io {

/// Default limit, longer than any handwritten file.
inline constexpr std::uint64_t longest_text = std::uint64_t{16} << 20;

/// The contents of a regular file; they may be empty. A pipe, a device or a folder is never read.
///   longest  upper limit in bytes
///   errors   file_error if it is missing, unreadable, not a regular file, or longer
[[nodiscard]] std::string read_text(const std::string& path, std::uint64_t longest = longest_text);

}  // namespace golden::io
