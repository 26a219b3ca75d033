// SPDX-License-Identifier: Apache-2.0
// golden/io/replaced_folder.h: a folder of files that appears in one step, whole or not at all.
#pragma once
#include <filesystem>
#include <string>

#include "golden/io/file.h"

namespace golden::io {

/// A folder beside its target; gone again, with the files in it, unless it took the target's place.
class replaced_folder {
 public:
  ///   errors  file_error where none can be made
  explicit replaced_folder(const std::filesystem::path& target);
  ~replaced_folder();
  replaced_folder(const replaced_folder&) = delete;
  replaced_folder& operator=(const replaced_folder&) = delete;

  [[nodiscard]] std::filesystem::path path() const { return name_; }
  /// Where the target is missing or empty.
  ///   errors  file_error
  void take_the_place_of_target();

 private:
  void create();

  std::filesystem::path target_;
  std::string name_;
};

}  // namespace golden::io
