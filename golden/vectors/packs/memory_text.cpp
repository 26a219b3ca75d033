// SPDX-License-Identifier: Apache-2.0
// golden/vectors/packs/memory_text.cpp: memories as text for $readmemh.
#include "golden/vectors/packs/memory_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace golden::packs {
namespace {

std::string head_of(const pack& of, const pack_memory& m, std::size_t rows) {
  const std::size_t bits = m.along * static_cast<std::size_t>(m.width);
  std::string text = fmt::format("// mxprism vectors {}, version {}: {}.mem\n// {}\n", of.name,
                                 of.version, m.name, m.what);
  text += m.along == 1 ? fmt::format("// One word a row: a code of {} bits.\n", m.width)
                       : fmt::format(
                             "// One word a row: {} codes of {} bits; code i of a row lies in bits "
                             "{} i + {} : {} i.\n",
                             m.along, m.width, m.width, m.width - 1, m.width);
  return text + fmt::format(
                    "// Rows in the order of the tensors' first axis.\n"
                    "// logic [{}:0] words [0:{}];\n",
                    bits - 1, rows - 1);
}

/// Hexadecimal digits of a row, the highest first.
std::string word_of(const pack_memory& m, std::size_t row) {
  const std::size_t bits = m.along * static_cast<std::size_t>(m.width);
  std::vector<unsigned> digits((bits + 3) / 4);
  for (std::size_t bit = 0; bit < bits; ++bit) {
    const auto width = static_cast<std::size_t>(m.width);
    const std::uint32_t code = m.codes[row * m.along + bit / width];
    digits[bit / 4] |= (code >> (bit % width) & 1U) << (bit % 4);
  }
  std::string text;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    text += "0123456789abcdef"[*digit];
  }
  return text;
}

}  // namespace

std::string memory_text(const pack& of, const pack_memory& memory,
                        const std::vector<std::string>& sentences) {
  const std::size_t rows = memory.codes.size() / memory.along;
  std::string text = head_of(of, memory, rows);
  for (std::size_t row = 0; row < rows; ++row) {
    text += word_of(memory, row);
    if (row < sentences.size()) text += fmt::format("  // {}: {}", row, sentences[row]);
    text += "\n";
  }
  return text;
}

}  // namespace golden::packs
