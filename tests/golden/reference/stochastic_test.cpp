// SPDX-License-Identifier: Apache-2.0
// tests/golden/reference/stochastic_test.cpp: known answers of Philox, and the assignment of its
// bits to elements.
// Source: Random123, its file of known answers.
#include "golden/reference/stochastic.h"
#include "catch.h"
#include "golden/reference/philox.h"

namespace {

using golden::byte_map;
using golden::draw_for;
using golden::philox_4x32_10;
using words = std::array<std::uint32_t, 4>;

std::uint32_t drawn(golden::random_source source, std::uint64_t index) {
  const golden::random_draw draw = draw_for(source, index);
  CHECK(draw.bits == source.bits);
  return draw.value;
}

TEST_CASE("philox_gives_the_known_answers") {
  constexpr std::uint32_t ones = 0xffffffff;
  CHECK(philox_4x32_10({0, 0, 0, 0}, {0, 0}) ==
        words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox_4x32_10({ones, ones, ones, ones}, {ones, ones}) ==
        words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(
      philox_4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
      words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("up_to_8_bits_four_elements_share_a_word_by_the_byte_map") {
  const std::uint32_t ptx[] = {0xd5, 0x27, 0xe8, 0x66, 0x8d, 0x69, 0xc5, 0xe1};
  const std::uint32_t te_soft[] = {0xd5, 0xe8, 0x27, 0x66, 0x8d, 0xc5, 0x69, 0xe1};
  for (std::uint64_t i = 0; i < 8; ++i) {
    CHECK(drawn({0, 8, byte_map::ptx}, i) == ptx[i]);
    CHECK(drawn({0, 8, byte_map::te_soft}, i) == te_soft[i]);
    CHECK(drawn({0, 5, byte_map::ptx}, i) == ptx[i] / 8);
  }
  CHECK(drawn({0, 8, byte_map::ptx}, 15) == 0x9b);
  CHECK(drawn({0, 1, byte_map::ptx}, 1) == 0);
  CHECK(drawn({0, 1, byte_map::ptx}, 0) == 1);
}

TEST_CASE("up_to_16_bits_two_elements_share_a_word_lower_half_first") {
  const std::uint32_t halves[] = {0xe8d5, 0x6627, 0xc58d, 0xe169, 0xac4c, 0xbc57, 0xdbd8, 0x9b00};
  for (std::uint64_t i = 0; i < 8; ++i) {
    for (const byte_map map : {byte_map::ptx, byte_map::te_soft}) {
      CHECK(drawn({0, 16, map}, i) == halves[i]);
      CHECK(drawn({0, 9, map}, i) == halves[i] / 128);
    }
  }
}

TEST_CASE("beyond_16_bits_an_element_has_a_word_for_itself") {
  const std::uint32_t whole[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
  for (std::uint64_t i = 0; i < 4; ++i) {
    CHECK(drawn({0, 24, byte_map::ptx}, i) == whole[i] >> 8);
    CHECK(drawn({0, 17, byte_map::te_soft}, i) == whole[i] >> 15);
  }
}

TEST_CASE("the_seed_is_the_key_and_the_call_is_the_counter_low_words_first") {
  constexpr std::uint64_t seed = 0x299f31d0a4093822;
  constexpr std::uint64_t call = 0x0000000300000005;
  const words expected = philox_4x32_10({5, 3, 0, 0}, {0xa4093822, 0x299f31d0});
  CHECK(drawn({seed, 8}, 16 * call) == (expected[0] & 0xff));
  CHECK(drawn({seed, 16}, 8 * call + 7) == expected[3] >> 16);
  CHECK(drawn({seed, 24}, 4 * call + 2) == expected[2] >> 8);
}

}  // namespace
