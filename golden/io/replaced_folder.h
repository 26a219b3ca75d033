// SPDX-License-Identifier: Apache-2.0
// golden/io/replaced_folder.h: creates a folder of files atomically, whole or not at all.
#pragma once
#include <filesystem>
#include <string>

#include "golden/io/file.h"

namespace golden::io {

/// A folder beside its target, removed with its files unless it replaces the target.
class replaced_folder {
 public:
  ///   target  may end in a slash
  ///   errors  file_error if none can be created
  explicit replaced_folder(const std::filesystem::path& target);
  ~replaced_folder();
  replaced_folder(const replaced_folder&) = delete;
  replaced_folder& operator=(const replaced_folder&) = delete;

  [[nodiscard]] std::filesystem::path path() const { return name_; }
  /// Throws an error of a file in it as one of the folder that was asked for, since users do not
  /// know the temporary name.
  [[noreturn]] void refuse_for(const std::filesystem::path& asked, const file_error& wrong) const;
  /// Requires a missing or empty target.
  ///   errors  file_error
  void take_the_place_of_target();

 private:
  void create();

  std::filesystem::path target_;
  std::string name_;
};

}  // namespace golden::io
