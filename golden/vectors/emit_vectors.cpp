// SPDX-License-Identifier: Apache-2.0
// golden/vectors/emit_vectors.cpp: writes the committed words and blocks, or compares them with the
// existing files.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>

#include "golden/vectors/vector_text.h"

namespace {

namespace fs = std::filesystem;

constexpr const char* folders[] = {"dot", "blocks"};
constexpr const char* remedy = "; run emit_vectors golden/vectors\n";

std::string held_by(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

int write(const fs::path& folder, const std::vector<golden::vector_file>& files) {
  for (const char* name : folders) fs::create_directories(folder / name);
  for (const golden::vector_file& file : files) {
    std::ofstream out(folder / file.name, std::ios::binary);
    out << file.text;
    if (!out.flush()) {
      std::cerr << "emit_vectors: error: cannot write " << (folder / file.name).string() << "\n";
      return 3;
    }
  }
  return 0;
}

int check(const fs::path& folder, const std::vector<golden::vector_file>& files) {
  int status = 0;
  std::set<fs::path> known;
  for (const golden::vector_file& file : files) {
    known.insert(folder / file.name);
    if (held_by(folder / file.name) == file.text) continue;
    std::cerr << (folder / file.name).string() << " is out of date" << remedy;
    status = 1;
  }
  for (const char* name : folders) {
    if (!fs::is_directory(folder / name)) continue;
    for (const auto& entry : fs::directory_iterator(folder / name)) {
      if (known.contains(entry.path())) continue;
      std::cerr << entry.path().string() << " belongs to no model or quantization; remove it\n";
      status = 1;
    }
  }
  return status;
}

}  // namespace

int main(int count, char** words) {
  const std::vector<std::string> arguments(words + 1, words + count);
  const bool checking = arguments.size() == 2 && arguments[1] == "--check";
  if (arguments.empty() || arguments.size() > 2 || (arguments.size() == 2 && !checking)) {
    std::cerr << "usage: emit_vectors VECTORS_FOLDER [--check]\n";
    return 2;
  }
  const std::vector<golden::vector_file> files = golden::vector_files();
  return checking ? check(arguments[0], files) : write(arguments[0], files);
}
