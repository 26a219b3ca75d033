// SPDX-License-Identifier: Apache-2.0
// golden/io/file.h: whole files, mapped for reading; what is wrong with one, in one line.
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

/// A regular file, mapped read-only for as long as the object lives: nothing of it is copied, and
/// the kernel may drop pages that were read, so that it may be larger than memory.
///   replaced   the old contents stay, as they do for a file that is deleted
///   shortened  (by another program, in place) reading beyond the new end raises SIGBUS; the command
///              turns that into an error of input
///   errors     file_error where it is missing, unreadable, not a regular file, or empty
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

}  // namespace golden::io
