// SPDX-License-Identifier: Apache-2.0
// golden/io/file.h: whole files: mapped for reading, replaced in one step when written.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace golden::io {

using byte_view = std::span<const std::uint8_t>;

/// What is wrong with a file, in one line: `FILE: what`, or `FILE: tensor NAME: what`.
class file_error : public std::runtime_error {
 public:
  file_error(std::string_view path, std::string_view what);
  file_error(std::string_view path, std::string_view tensor_name, std::string_view what);
};

/// A name fit for a message: quoted, control characters written as \xNN, cut after 80 bytes.
[[nodiscard]] std::string printable(std::string_view name);

/// A regular file, mapped read-only for as long as the object lives.
///   errors  file_error where it is missing, unreadable, not a regular file, or empty
class mapped_file {
 public:
  explicit mapped_file(const std::string& path);
  ~mapped_file();
  mapped_file(mapped_file&& other) noexcept;
  mapped_file& operator=(mapped_file&& other) noexcept;

  [[nodiscard]] byte_view bytes() const { return bytes_; }

 private:
  byte_view bytes_;
};

/// Writes the pieces, one after the other, to a temporary file in the same folder and renames it to
/// `path`.
///   errors  file_error; then `path` is as it was, and no temporary file is left
void write_whole(const std::string& path, std::span<const byte_view> pieces);

}  // namespace golden::io
