// SPDX-License-Identifier: Apache-2.0
// golden/io/gguf_cursor.h: a bounds-checked read position in a GGUF file.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "golden/io/file.h"

namespace golden::io {

/// Reads little-endian fields one after the other.
///   errors  file_error that names the field and its byte, if it ends beyond the file
class gguf_cursor {
 public:
  /// source names the file in errors, and outlives the cursor.
  gguf_cursor(byte_view file, const std::string& source) : file_(file), source_(source) {}

  [[nodiscard]] std::uint64_t position() const { return position_; }
  [[nodiscard]] std::uint64_t left() const { return file_.size() - position_; }

  byte_view bytes(std::uint64_t count, std::string_view field);
  std::uint32_t u32(std::string_view field) {
    return static_cast<std::uint32_t>(integer(4, field));
  }
  std::uint64_t u64(std::string_view field) { return integer(8, field); }
  /// Eight bytes of length, then as many characters.
  std::string_view text(std::string_view field);
  /// A text that must be UTF-8.
  std::string_view name(std::string_view field);
  /// A number of items, each of at least `smallest` bytes.
  std::uint64_t count(std::uint64_t smallest, std::string_view field);

  /// Reports an error in the field read last.
  [[noreturn]] void fail(std::string_view what) const;

 private:
  std::uint64_t integer(std::uint64_t size, std::string_view field);

  byte_view file_;
  const std::string& source_;
  std::uint64_t position_ = 0, field_ = 0;
};

}  // namespace golden::io
