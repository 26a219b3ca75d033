// SPDX-License-Identifier: Apache-2.0
// golden/io/file.h: whole files, mapped for reading; what is wrong with one, in one line.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace golden::io {

using byte_view = std::span<const std::uint8_t>;

/// A file, and the byte of it that something is about, counted from 0: where it is said in the
/// file, or where the file ends too early. Nothing: the file as a whole.
struct file_place {
  std::string path;
  std::optional<std::uint64_t> byte;

  file_place() = default;
  template <std::convertible_to<std::string_view> Text>
  file_place(const Text& whole) : path(std::string_view(whole)) {}
  file_place(std::string_view file, std::uint64_t at) : path(file), byte(at) {}
};

/// What is wrong with a file, in one line: `FILE: what`, `FILE: byte N: what`, or
/// `FILE: byte N: tensor NAME: what`.
class file_error : public std::runtime_error {
 public:
  file_error(const file_place& place, std::string_view what);
  file_error(const file_place& place, std::string_view tensor_name, std::string_view what);

  [[nodiscard]] std::optional<std::uint64_t> byte() const { return byte_; }

 private:
  std::optional<std::uint64_t> byte_;
};

/// A name fit for a message: quoted, control characters and what is not UTF-8 written as \xNN, cut
/// after 80 bytes.
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
