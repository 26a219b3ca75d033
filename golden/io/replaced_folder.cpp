// SPDX-License-Identifier: Apache-2.0
// golden/io/replaced_folder.cpp: creates a folder of files atomically, whole or not at all.
#include "golden/io/replaced_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "golden/io/unfinished.h"

namespace golden::io {

namespace fs = std::filesystem;

namespace {

/// The path without the slashes at its end, behind which no name beside it begins.
fs::path named(const fs::path& target) {
  const fs::path normal = target.lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

}  // namespace

replaced_folder::replaced_folder(const fs::path& target) : target_(named(target)) { create(); }

replaced_folder::~replaced_folder() {
  if (!name_.empty()) remove_folder_of_files(name_.c_str());  // memory may be what failed
  forget_unfinished_folder(name_.c_str());
}

void replaced_folder::create() {
  int error = EEXIST;
  for (int attempt = 0; attempt < 1000 && error == EEXIST; ++attempt) {
    name_ =
        target_.string() + ".partial-" + std::to_string(::getpid()) + "-" + std::to_string(attempt);
    // Registered before it exists, so that no signal falls in between.
    remember_unfinished_folder(name_.c_str());
    if (::mkdir(name_.c_str(), 0777) == 0) return;
    error = errno;
    forget_unfinished_folder(name_.c_str());
  }
  throw file_error(target_.string(), "cannot be written: cannot create a folder beside it: " +
                                         std::generic_category().message(error));
}

void replaced_folder::refuse_for(const fs::path& asked, const file_error& wrong) const {
  const std::string text = wrong.what();
  const std::size_t end =
      text.starts_with(name_) ? text.find(": ", name_.size()) : std::string::npos;
  throw file_error(asked.string(), end == std::string::npos ? text : text.substr(end + 2));
}

void replaced_folder::take_the_place_of_target() {
  std::error_code failed;
  fs::rename(name_, target_, failed);
  if (failed) throw file_error(target_.string(), "cannot be written: " + failed.message());
  forget_unfinished_folder(name_.c_str());
  name_.clear();
}

}  // namespace golden::io
