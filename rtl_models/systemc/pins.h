// SPDX-License-Identifier: Apache-2.0
// rtl_models/systemc/pins.h: codes on pins of SystemC, the first lowest.
#pragma once
#include <cstdint>
#include <systemc>
#include <type_traits>

namespace hardware {

/// Codes of Width bits, a divisor of 32, from a pin of 32-bit words.
///   codes  a container of unsigned integers
template <int Width, class Codes>
void read_pin(const sc_dt::sc_bv_base& pin, Codes& codes) {
  constexpr std::size_t codes_a_word = 32 / Width;
  constexpr std::uint64_t mask = (std::uint64_t{1} << Width) - 1;
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    if (i % codes_a_word == 0) word = pin.get_word(static_cast<int>(i / codes_a_word));
    codes[i] = static_cast<std::remove_reference_t<decltype(codes[i])>>(word & mask);
    word >>= Width;
  }
}

template <int Width, class Codes>
void write_pin(const Codes& codes, sc_dt::sc_bv_base& pin) {
  constexpr std::size_t codes_a_word = 32 / Width;
  for (std::size_t first = 0; first < codes.size(); first += codes_a_word) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < codes_a_word && first + i < codes.size(); ++i) {
      word |= std::uint64_t{codes[first + i]} << (i * Width);
    }
    pin.set_word(static_cast<int>(first / codes_a_word), static_cast<sc_dt::sc_digit>(word));
  }
}

}  // namespace hardware
