// SPDX-License-Identifier: Apache-2.0
// tests/scratch_folder.h: a scratch folder for each object, removed with it; whole files.
#pragma once
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

namespace test {

class scratch_folder {
 public:
  scratch_folder()
      : path_(std::filesystem::temp_directory_path() /
              ("mxprism-test-" + std::to_string(::getpid()) + "-" + std::to_string(next()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directory(path_);
  }
  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;

  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const {
    return path_ / name;
  }
  [[nodiscard]] std::size_t file_count() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  static int next() {
    static int count = 0;
    return count++;
  }
  std::filesystem::path path_;
};

inline std::string contents_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void put_contents(const std::filesystem::path& path, const std::string& contents) {
  std::ofstream(path, std::ios::binary) << contents;
}

/// Contents of a file.
struct file_state {
  std::string contents;
  std::filesystem::file_time_type written;
  friend bool operator==(const file_state&, const file_state&) = default;
};

inline std::map<std::string, file_state> files_below(const std::filesystem::path& folder) {
  std::map<std::string, file_state> result;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    result[entry.path().lexically_relative(folder).string()] = {contents_of(entry.path()),
                                                                entry.last_write_time()};
  }
  return result;
}

}  // namespace test
