// SPDX-License-Identifier: Apache-2.0
// golden/io/replaced_file.h: a file that is replaced in one step, whole or not at all.
#pragma once
#include <filesystem>
#include <span>
#include <string>

#include "golden/io/file.h"

namespace golden::io {

/// A file under a name of its own in the folder of its target; gone again unless it took the
/// target's place. It has the permissions of the file whose place it takes.
///   errors  file_error; then the target is as it was, and no temporary file is left
class replaced_file {
 public:
  /// Through links, so that a link stays one. A device or a folder is never replaced.
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

/// Removes the temporary files in a folder whose process is gone, and those of this process: it calls
/// this before it makes any there.
void remove_abandoned_files(const std::filesystem::path& folder) noexcept;

/// Writes the pieces, one after the other, in place of `path`.
///   errors  as of replaced_file
void write_whole(const std::string& path, std::span<const byte_view> pieces);

}  // namespace golden::io
