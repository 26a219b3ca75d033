// SPDX-License-Identifier: Apache-2.0
// sim/task/byte_level.cpp: see byte_level.h.
#include "sim/task/byte_level.h"

#include <array>
#include <cstdint>

namespace sim {
namespace {

constexpr bool stands_for_itself(unsigned byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

constexpr unsigned renamed_bytes = 68;

/// Byte of U+0100 + index.
constexpr std::array<std::uint8_t, renamed_bytes> bytes_by_index() {
  std::array<std::uint8_t, renamed_bytes> bytes{};
  std::size_t count = 0;
  for (unsigned byte = 0; byte < 256; ++byte) {
    if (!stands_for_itself(byte)) bytes[count++] = static_cast<std::uint8_t>(byte);
  }
  return bytes;
}
static_assert(bytes_by_index()[' '] == ' ');  // U+0120
static_assert(bytes_by_index().back() == 0xAD);

std::optional<char> byte_of(unsigned character) {
  constexpr auto renamed = bytes_by_index();
  if (character < 256 && stands_for_itself(character)) return static_cast<char>(character);
  if (character < 256 || character - 256 >= renamed_bytes) return {};
  return static_cast<char>(renamed[character - 256]);
}

}  // namespace

std::optional<std::string> bytes_of_token(std::string_view token) {
  std::string bytes;
  while (!token.empty()) {
    // The alphabet ends before U+0800: one or two bytes a character.
    const auto first = static_cast<unsigned char>(token[0]);
    const std::size_t length = first < 0x80 ? 1 : 2;
    if (token.size() < length || (length == 2 && (first & 0xE0U) != 0xC0U)) return {};
    const unsigned character =
        length == 1 ? first : (first & 0x1FU) << 6 | (static_cast<unsigned char>(token[1]) & 0x3FU);
    const std::optional<char> byte = byte_of(character);
    if (!byte) return {};
    bytes += *byte;
    token.remove_prefix(length);
  }
  return bytes;
}

}  // namespace sim
