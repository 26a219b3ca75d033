// SPDX-License-Identifier: Apache-2.0
// golden/reference/stochastic.cpp: which random bits an element of a tensor is rounded with.
#include "golden/reference/stochastic.h"

#include "golden/reference/philox.h"

namespace golden {
namespace {

// Digit `position` of a number in base 2^bits, the lowest first.
std::uint32_t digit(std::uint64_t value, int bits, int position) {
  const std::uint64_t base = std::uint64_t{1} << bits;
  for (int i = 0; i < position; ++i) value /= base;
  return static_cast<std::uint32_t>(value % base);
}

std::uint32_t word_at(std::uint64_t seed, std::uint64_t word_index) {
  const std::uint64_t call = word_index / 4;
  return philox_4x32_10({digit(call, 32, 0), digit(call, 32, 1), 0, 0},
                        {digit(seed, 32, 0), digit(seed, 32, 1)})[word_index % 4];
}

int byte_of(std::uint64_t element, byte_map map) {
  constexpr int ptx_bytes[] = {0, 2, 1, 3};
  return map == byte_map::ptx ? ptx_bytes[element] : static_cast<int>(element);
}

}  // namespace

random_draw draw_for(const random_source& source, std::uint64_t index) {
  const int width = source.bits <= 8 ? 8 : source.bits <= 16 ? 16 : 32;
  const auto sharers = static_cast<std::uint64_t>(32 / width);
  const std::uint32_t word = word_at(source.seed, index / sharers);
  const std::uint64_t element = index % sharers;
  const int position = width == 8 ? byte_of(element, source.map) : static_cast<int>(element);
  const std::uint32_t part = digit(word, width, position);
  return {part >> (width - source.bits), source.bits};
}

}  // namespace golden
