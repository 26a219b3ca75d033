// SPDX-License-Identifier: Apache-2.0
// golden/io/utf8.cpp: validation of UTF-8.
#include "golden/io/utf8.h"

#include <array>

namespace golden::io {
namespace {

/// A range of first bytes, and the range of the second byte; all further bytes are 80 to BF.
struct lead_row {
  unsigned char first, last;
  std::size_t length;
  unsigned char second_first, second_last;
};

constexpr std::array lead_table{
    lead_row{0x00, 0x7F, 1, 0, 0},       lead_row{0xC2, 0xDF, 2, 0x80, 0xBF},
    lead_row{0xE0, 0xE0, 3, 0xA0, 0xBF}, lead_row{0xE1, 0xEC, 3, 0x80, 0xBF},
    lead_row{0xED, 0xED, 3, 0x80, 0x9F}, lead_row{0xEE, 0xEF, 3, 0x80, 0xBF},
    lead_row{0xF0, 0xF0, 4, 0x90, 0xBF}, lead_row{0xF1, 0xF3, 4, 0x80, 0xBF},
    lead_row{0xF4, 0xF4, 4, 0x80, 0x8F},
};

bool is_within(char c, unsigned char first, unsigned char last) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= first && byte <= last;
}

bool continues(std::string_view text, const lead_row& row) {
  if (text.size() < row.length) return false;
  if (row.length > 1 && !is_within(text[1], row.second_first, row.second_last)) return false;
  for (std::size_t i = 2; i < row.length; ++i) {
    if (!is_within(text[i], 0x80, 0xBF)) return false;
  }
  return true;
}

}  // namespace

std::size_t character_length(std::string_view text) {
  if (text.empty()) return 0;
  for (const lead_row& row : lead_table) {
    if (is_within(text[0], row.first, row.last)) return continues(text, row) ? row.length : 0;
  }
  return 0;
}

std::optional<std::size_t> first_byte_that_is_not_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_length(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return {};
}

}  // namespace golden::io
