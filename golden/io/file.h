// SPDX-License-Identifier: Apache-2.0
// golden/io/file.h: whole files, mapped or read, and one-line file errors.
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

/// A file, and the byte from 0 that an error refers to: where the wrong field is stored, or where
/// the file ends too early. No byte: the file as a whole.
struct file_place {
  std::string path;
  std::optional<std::uint64_t> byte;

  file_place() = default;
  template <std::convertible_to<std::string_view> Text>
  file_place(const Text& whole) : path(std::string_view(whole)) {}
  file_place(std::string_view file, std::uint64_t at) : path(file), byte(at) {}
};

/// An error in a file, in one line: `FILE: what`, `FILE: byte N: what`, or
/// `FILE: byte N: tensor NAME: what`.
class file_error : public std::runtime_error {
 public:
  file_error(const file_place& place, std::string_view what);
  file_error(const file_place& place, std::string_view tensor_name, std::string_view what);

  [[nodiscard]] std::optional<std::uint64_t> byte() const { return byte_; }

 private:
  std::optional<std::uint64_t> byte_;
};

/// A name fit for a message: quoted, control characters and invalid UTF-8 escaped as \xNN,
/// truncated after 80 bytes.
[[nodiscard]] std::string printable(std::string_view name);

/// A regular file, mapped read-only while the object lives: nothing is copied, and the kernel may
/// evict pages already read, so the file may be larger than memory.
///   replaced   the mapping keeps the old contents, as for a deleted file
///   shortened  (by another program, in place) reading beyond the new end raises SIGBUS; the
///              command turns that into an input error
///   errors     file_error if it is missing, unreadable, not a regular file, or empty
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

/// Default limit of texts, longer than any handwritten file.
inline constexpr std::uint64_t longest_text = std::uint64_t{16} << 20;

/// Limit of texts that programs write: problems, figures, packs.
inline constexpr std::uint64_t longest_data = std::uint64_t{1} << 30;

/// The contents of a regular file; they may be empty. A pipe, a device or a folder is never read.
///   longest  upper limit in bytes
///   errors   file_error if it is missing, unreadable, not a regular file, or longer
[[nodiscard]] std::string read_text(const std::string& path, std::uint64_t longest = longest_text);

}  // namespace golden::io
