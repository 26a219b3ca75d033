// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/replay.cpp: without libFuzzer, passes every file of a folder and its prefixes to a
// target.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr std::size_t longest_cut = 4096;  // longer files are only passed whole

std::string contents_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// A copy that ends at the end of its allocation, so that a sanitizer detects every read beyond it.
void give(const std::string& contents, std::size_t size) {
  const auto copy = std::make_unique<std::uint8_t[]>(size);
  std::copy_n(contents.begin(), size, copy.get());
  LLVMFuzzerTestOneInput(copy.get(), size);
}

std::vector<std::filesystem::path> files_in(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", words[0]);
    return 2;
  }
  const std::vector<std::filesystem::path> files = files_in(words[1]);
  for (const std::filesystem::path& file : files) {
    std::printf("%s\n", file.filename().c_str());  // the last one is the one that failed
    std::fflush(stdout);
    const std::string contents = contents_of(file);
    const std::size_t first = contents.size() <= longest_cut ? 0 : contents.size();
    for (std::size_t size = first; size <= contents.size(); ++size) give(contents, size);
  }
  std::printf("%zu files\n", files.size());
  return files.empty() ? 1 : 0;
}
