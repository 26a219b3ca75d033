// SPDX-License-Identifier: Apache-2.0
// tests/vectors/committed_words.h: the words of the project under test.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "golden/vectors/word_file.h"

namespace test {

using namespace golden::words;

/// A folder of golden of the project under test (MX_SOURCE_DIR).
[[nodiscard]] inline std::filesystem::path golden_folder(const char* name) {
  const char* source = std::getenv("MX_SOURCE_DIR");
  return std::filesystem::path(source == nullptr ? "." : source) / "golden" / name;
}

[[nodiscard]] inline std::filesystem::path folder_of_words() {
  return golden_folder("vectors") / "dot";
}

[[nodiscard]] inline std::vector<word_file> committed_words() {
  return words_in(folder_of_words());
}

}  // namespace test
