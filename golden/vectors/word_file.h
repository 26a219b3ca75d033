// SPDX-License-Identifier: Apache-2.0
// golden/vectors/word_file.h: reads a file of committed words, and refuses a malformed one.
// Format: golden/vectors/README.md. This reader shares no code with the writers of the files.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace golden::words {

/// `FILE:LINE: what is wrong`
class word_file_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct dot_word {
  std::string label;
  std::size_t line = 0;
  std::vector<std::uint32_t> a, b, scale_a, scale_b;
  std::uint32_t c = 0, d = 0;
};

/// Names of formats; block 0: no scale.
struct operand_names {
  std::string a, b, c, scale;
  int block = 0;
  std::string d = {};  ///< mostly c
};

struct word_section {
  operand_names operands;
  std::vector<dot_word> words;
};

struct word_file {
  std::string name;
  std::string model;
  std::string evidence;
  std::vector<word_section> sections;
};

/// Width of the codes of a format of numbers that files may name.
///   errors  std::invalid_argument where they may not
[[nodiscard]] int code_bits(std::string_view number);

/// errors  word_file_error
[[nodiscard]] word_file parsed_words(const std::string& name, std::string_view text);
[[nodiscard]] word_file read_words(const std::filesystem::path& path);

/// Every file of a folder that ends in .txt, sorted by name.
[[nodiscard]] std::vector<word_file> words_in(const std::filesystem::path& folder);

}  // namespace golden::words
