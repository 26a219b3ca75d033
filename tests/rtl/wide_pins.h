// SPDX-License-Identifier: Apache-2.0
// tests/rtl/wide_pins.h: codes on pins of any width, as Verilator stores them: 32-bit words, the
// lowest first, or one integer of up to 64 bits.
#pragma once
#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace rtl {

/// Word number `word` of the codes' lowest `width` bits, code 0 lowest.
template <class Codes>
std::uint32_t word_of(const Codes& codes, int width, int word) {
  std::uint64_t bits = 0;
  const int begin = word * 32, first = begin / width;
  const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  for (int i = first; i * width < begin + 32 && i < static_cast<int>(codes.size()); ++i) {
    const int place = i * width - begin;
    const std::uint64_t code = std::uint64_t{codes[static_cast<std::size_t>(i)]} & mask;
    bits |= place >= 0 ? code << place : code >> -place;
  }
  return static_cast<std::uint32_t>(bits);
}

/// Sets a pin of codes.size() * width bits.
///   codes  a container of unsigned integers
template <class Pin, class Codes>
void set_codes(Pin& pin, const Codes& codes, int width) {
  if constexpr (std::is_integral_v<Pin>) {
    const std::uint64_t high = sizeof(Pin) > 4 ? word_of(codes, width, 1) : 0;
    pin = static_cast<Pin>(high << 32 | word_of(codes, width, 0));
  } else {
    const int words = static_cast<int>((codes.size() * static_cast<std::size_t>(width) + 31) / 32);
    for (int i = 0; i < words; ++i) pin[i] = word_of(codes, width, i);
  }
}

}  // namespace rtl
