// SPDX-License-Identifier: Apache-2.0
// golden/vectors/vector_text.h: the words of a model as lines of text, and all such files.
// Format: golden/vectors/README.md.
#pragma once
#include <string>
#include <vector>

#include "golden/vectors/vector_pack.h"

namespace golden {

struct vector_file {
  std::string name;  ///< relative to golden/vectors
  std::string text;
};

[[nodiscard]] std::string text_of(const vector_pack& pack);
/// One file for each pack of words, and one for each pack of blocks.
[[nodiscard]] std::vector<vector_file> vector_files();

}  // namespace golden
