// SPDX-License-Identifier: Apache-2.0
// kernels/record/sent_words.h: the words of a file one after the other, as they are sent to a
// device, and the bits of its answers that are results.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "golden/vectors/word_file.h"

namespace mx::kernels {

/// The bits of a register that hold a result. Those of 16 bits come in pairs, the other one of a
/// column of zeros.
[[nodiscard]] inline std::uint32_t result_bits(std::string_view format) {
  return ~std::uint32_t{0} >> (32 - golden::words::code_bits(format));
}

/// Arrays of device_words (word_codes.h), but for its results.
class sent_words {
 public:
  std::vector<std::uint32_t> a, b, scale_a, scale_b, c;
  std::vector<int> begin{0}, scale_begin{0};

  explicit sent_words(const golden::words::word_file& file) {
    for (const golden::words::word_section& section : file.sections) {
      for (const golden::words::dot_word& word : section.words) add(word);
      bits_.resize(c.size(), result_bits(section.operands.d));
    }
  }

  /// The results in what a device answered, one register a word.
  [[nodiscard]] std::vector<std::uint32_t> results(std::vector<std::uint32_t> answers) const {
    for (std::size_t i = 0; i < answers.size(); ++i) answers[i] &= bits_.at(i);
    return answers;
  }

 private:
  void add(const golden::words::dot_word& word) {
    a.insert(a.end(), word.a.begin(), word.a.end());
    b.insert(b.end(), word.b.begin(), word.b.end());
    scale_a.insert(scale_a.end(), word.scale_a.begin(), word.scale_a.end());
    scale_b.insert(scale_b.end(), word.scale_b.begin(), word.scale_b.end());
    c.push_back(word.c);
    begin.push_back(static_cast<int>(a.size()));
    scale_begin.push_back(static_cast<int>(scale_a.size()));
  }

  std::vector<std::uint32_t> bits_;  ///< of the result of each word
};

}  // namespace mx::kernels
