// SPDX-License-Identifier: Apache-2.0
// sim/train/kept_checkpoints.cpp: see kept_checkpoints.h.
#include "sim/train/kept_checkpoints.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "golden/io/file.h"

namespace sim {
namespace {

namespace fs = std::filesystem;

fs::path folder_of(const fs::path& last) {
  return last.parent_path() / (last.stem().string() + ".steps");
}

/// 0000020.safetensors
bool is_kept(const fs::path& file) {
  const std::string step = file.stem().string();
  return file.extension() == ".safetensors" && step.size() >= 7 &&
         step.find_first_not_of("0123456789") == std::string::npos;
}

/// In the order of their steps, which have as many digits in all names.
std::vector<fs::path> kept_in(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!fs::is_directory(folder)) return files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (is_kept(entry.path())) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

/// A second name of a file, or a copy of it.
void link_or_copy(const fs::path& from, const fs::path& to) {
  std::error_code failure;
  fs::remove(to, failure);
  fs::create_hard_link(from, to, failure);
  if (!failure) return;
  fs::copy_file(from, to, failure);
  if (failure) {
    throw golden::io::file_error(to.string(), "cannot be written: " + failure.message());
  }
}

}  // namespace

void keep_checkpoint(const fs::path& last, int step, int most) {
  const fs::path folder = folder_of(last);
  if (most > 1) {
    std::error_code failure;
    fs::create_directories(folder, failure);
    if (failure) {
      throw golden::io::file_error(folder.string(), "cannot be made: " + failure.message());
    }
    link_or_copy(last, folder / fmt::format("{:07}.safetensors", step));
  }
  const std::vector<fs::path> kept = kept_in(folder);
  const std::size_t allowed = most > 1 ? static_cast<std::size_t>(most) : 0;
  for (std::size_t i = 0; i + allowed < kept.size(); ++i) fs::remove(kept[i]);
}

fs::path newest_checkpoint(const fs::path& last) {
  if (fs::exists(last)) return last;
  const std::vector<fs::path> kept = kept_in(folder_of(last));
  return kept.empty() ? last : kept.back();
}

void remove_checkpoints(const fs::path& last) {
  fs::remove(last);
  for (const fs::path& file : kept_in(folder_of(last))) fs::remove(file);
  std::error_code holds_others;
  fs::remove(folder_of(last), holds_others);
}

}  // namespace sim
