// SPDX-License-Identifier: Apache-2.0
// golden/io/replaced_file.h: replaces a file atomically, whole or not at all.
#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "golden/io/file.h"

namespace golden::io {

/// A temporary file in the folder of its target, removed unless it replaces the target. It has the
/// permissions of the file it replaces.
///   errors  file_error; the target is then unchanged, and no temporary file is left
class replaced_file {
 public:
  /// Follows links, so that a link remains one. A device or a folder is never replaced.
  explicit replaced_file(const std::string& target);
  ~replaced_file();
  replaced_file(const replaced_file&) = delete;
  replaced_file& operator=(const replaced_file&) = delete;

  void write(byte_view bytes);
  void take_the_place_of_target();

 private:
  int create();
  [[noreturn]] void fail(std::string_view what, int error) const;

  std::filesystem::path target_;
  std::string name_;
  int descriptor_;
};

/// Removes temporary files in a folder whose process on this machine has ended, and those of this
/// process: to be called before this process creates any there.
void remove_abandoned_files(const std::filesystem::path& folder) noexcept;

/// Replaces `path` by the pieces, one after the other.
///   errors  as for replaced_file
void write_whole(const std::string& path, std::span<const byte_view> pieces);

/// Replaces `path` by a text.
///   errors  as for replaced_file
void write_text(const std::filesystem::path& path, std::string_view text);

}  // namespace golden::io
