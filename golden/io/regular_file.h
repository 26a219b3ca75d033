// SPDX-License-Identifier: Apache-2.0
// golden/io/regular_file.h: a regular file open for reading; refuses pipes and devices, which block
// or never end.
#pragma once
#include <cstdint>
#include <string>

namespace golden::io {

///   errors  file_error if it is missing, unreadable, or not a regular file
class regular_file {
 public:
  explicit regular_file(const std::string& path);
  ~regular_file();
  regular_file(const regular_file&) = delete;
  regular_file& operator=(const regular_file&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// Size in bytes when it was opened.
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  int descriptor_;
  std::uint64_t size_ = 0;
};

}  // namespace golden::io
