// SPDX-License-Identifier: Apache-2.0
// mx/number/random_bits.h: the random bits by which each element is rounded.
// Source: Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3" (Philox4x32-10); PTX ISA,
// cvt.rs.satfinite.e2m1x4 (byte map ptx); TransformerEngine, common/util/ptx.cuh (byte map
// te_soft).
#pragma once
#include "mx/number/philox.h"
#include "mx/number/rounding.h"

namespace mx {

/// Which byte of a 32-bit word serves element 0, 1, 2, 3 of four.
///   ptx      bits 7:0, 23:16, 15:8, 31:24: with the operands {x3, x2, x1, x0} the upper bytes of
///            both halves go to x3 and x2; the order of the halves is read from the manual
///   te_soft  bits 7:0, 15:8, 23:16, 31:24
enum class byte_map : std::uint8_t { ptx, te_soft };

/// Source of the random bits of stochastic rounding.
///   seed    key of Philox4x32-10
///   bits    1 to 24 an element
///   map     used for up to 8 bits an element
///   stream  counter word 2: each pass over the same elements uses its own
///   step    counter word 3: the number of a repetition, such as a step of training
struct random_source {
  std::uint64_t seed = 0;
  int bits = 8;
  byte_map map = byte_map::ptx;
  std::uint32_t stream = 0;
  std::uint32_t step = 0;

  friend constexpr bool operator==(const random_source&, const random_source&) = default;
};

/// Elements served by one 32-bit word.
[[nodiscard]] MX_HD constexpr int elements_a_word(int bits) noexcept {
  return bits <= 8 ? 4 : (bits <= 16 ? 2 : 1);
}

/// Whether the byte map has a say: wider bits lie in the order of the elements.
[[nodiscard]] MX_HD constexpr bool uses_byte_map(int bits) noexcept {
  return elements_a_word(bits) == 4;
}

/// The position of an element's bits in its word: the lowest of 8, 16 or 32.
[[nodiscard]] MX_HD constexpr int lowest_random_bit(const random_source& from,
                                                    int element) noexcept {
  if (from.bits > 16) return 0;
  if (from.bits > 8) return element % 2 * 16;
  const int place = element % 4;
  const bool crossed = from.map == byte_map::ptx && (place == 1 || place == 2);
  return (crossed ? 3 - place : place) * 8;
}

/// The random bits of element `index`: the highest of its part of the word.
///   word  number index / elements_a_word of the stream: word w is output w mod 4 of the call with
///         the counter w / 4, whose low half is counter word 0 and whose high half is word 1
[[nodiscard]] MX_HD constexpr std::uint32_t random_bits_of(const random_source& from,
                                                           std::uint64_t index) noexcept {
  const int elements = elements_a_word(from.bits);
  const std::uint64_t word = index / static_cast<std::uint64_t>(elements);
  const std::uint64_t call = word / 4;
  const philox_counter drawn =
      philox(from.seed, {{static_cast<std::uint32_t>(call), static_cast<std::uint32_t>(call >> 32),
                          from.stream, from.step}});
  const int width = 32 / elements;
  const int lowest = lowest_random_bit(from, static_cast<int>(index % 4));
  const std::uint64_t part =
      (std::uint64_t{drawn.word[word % 4]} >> lowest) & ((std::uint64_t{1} << width) - 1);
  return static_cast<std::uint32_t>(part >> (width - from.bits));
}

}  // namespace mx
