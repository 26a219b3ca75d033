// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/bundle_folder.cpp: the folder of --repro, which a later run replaces.
#include "sim/cli/verify/bundle_folder.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "golden/io/file.h"
#include "sim/cli/terminal/command.h"

namespace sim::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* readme = "README.txt";

/// Every file that a bundle may have. The README, by which a bundle is known, is removed last.
constexpr std::array<std::string_view, 8> bundle_files{
    "found.safetensors", "expected.safetensors", "input.safetensors", "a.safetensors",
    "b.safetensors",     "c.safetensors",        "words.safetensors", "README.txt"};

bool is_of_bundle(const fs::directory_entry& entry) {
  std::error_code failure;
  const std::string name = entry.path().filename().string();
  return std::ranges::find(bundle_files, name) != bundle_files.end() &&
         entry.symlink_status(failure).type() == fs::file_type::regular;
}

/// Whether a folder holds a bundle, and nothing else.
bool is_bundle(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!is_of_bundle(entry)) return false;
  }
  return fs::exists(folder / readme) &&
         golden::io::read_text((folder / readme).string()).find(replay_line) != std::string::npos;
}

/// Whether a bundle can be written there as far as can be seen; nothing is created.
bool is_usable(const fs::path& folder) {
  if (fs::exists(fs::symlink_status(folder))) {
    return fs::is_directory(folder) && (fs::is_empty(folder) || is_bundle(folder));
  }
  const fs::path parent = folder.has_parent_path() ? folder.parent_path() : ".";
  return parent == folder || fs::is_directory(parent) || !fs::exists(parent);
}

[[noreturn]] void refuse(const std::string& folder) {
  throw usage_error(
      "--repro {}: expected a new or an empty folder, or one that --repro has written and that "
      "holds "
      "nothing else",
      folder);
}

}  // namespace

void expect_bundle_folder(const std::string& folder) {
  bool usable = false;
  try {
    usable = is_usable(folder);
  } catch (const fs::filesystem_error&) {
    usable = false;
  }
  if (!usable) refuse(folder);
}

void make_bundle_folder(const std::string& folder) {
  expect_bundle_folder(folder);
  remove_bundle(folder);
  std::error_code wrong;
  fs::create_directories(folder, wrong);
  if (wrong) throw usage_error("--repro {}: cannot be made: {}", folder, wrong.message());
}

void remove_bundle(const std::string& folder) {
  std::error_code failure;
  if (!fs::is_directory(folder, failure) || !is_bundle(folder)) return;
  for (const std::string_view name : bundle_files) fs::remove(fs::path(folder) / name, failure);
}

}  // namespace sim::cli
