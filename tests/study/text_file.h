// SPDX-License-Identifier: Apache-2.0
// tests/study/text_file.h: a folder of text files for one test, removed after it.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

class text_folder {
 public:
  text_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "mxprism-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~text_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  text_folder(const text_folder&) = delete;
  text_folder& operator=(const text_folder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path_ / name, std::ios::binary).rdbuf();
    return text.str();
  }

 private:
  std::filesystem::path path_;
};

/// A shipped study, in the source tree.
inline std::filesystem::path shipped_study(const char* name) {
  const char* root = std::getenv("MX_SOURCE_DIR");
  if (root == nullptr) throw std::runtime_error("MX_SOURCE_DIR is not set: run this by ctest");
  return std::filesystem::path(root) / "sim/studies" / name;
}
inline std::filesystem::path default_study() { return shipped_study("default.toml"); }
