// SPDX-License-Identifier: Apache-2.0
// tests/unit/number/random_bits_test.cpp: mx/number/random_bits.h.
#include <set>

#include "catch.h"
#include "mx/number/random_bits.h"

namespace {

using mx::byte_map;

constexpr std::uint64_t seed = 0x0123456789ABCDEF;

std::uint32_t word(std::uint64_t number) {
  const std::uint64_t call = number / 4;
  return mx::philox(seed, {{static_cast<std::uint32_t>(call),
                            static_cast<std::uint32_t>(call >> 32), 0, 0}})
      .word[number % 4];
}

// The words of counter 0 under key 0 begin with 0x6627E8D5.
static_assert(mx::random_bits_of({0, 8, byte_map::te_soft}, 0) == 0xD5);
static_assert(mx::random_bits_of({0, 8, byte_map::te_soft}, 1) == 0xE8);
static_assert(mx::random_bits_of({0, 8, byte_map::ptx}, 1) == 0x27);
static_assert(mx::random_bits_of({0, 24}, 3) == 0x9B00DB);

TEST_CASE("up_to_8_bits_four_elements_share_a_word_in_the_order_of_the_byte_map") {
  constexpr int ptx[] = {0, 16, 8, 24}, te_soft[] = {0, 8, 16, 24};
  for (std::uint64_t i = 0; i < 64; ++i) {
    for (int bits = 1; bits <= 8; ++bits) {
      const std::uint32_t shared = word(i / 4);
      CHECK(mx::random_bits_of({seed, bits, byte_map::ptx}, i) ==
            (shared >> ptx[i % 4] & 255U) >> (8 - bits));
      CHECK(mx::random_bits_of({seed, bits, byte_map::te_soft}, i) ==
            (shared >> te_soft[i % 4] & 255U) >> (8 - bits));
    }
  }
}

TEST_CASE("from_9_to_16_bits_two_elements_share_a_word_the_first_takes_the_lower_half") {
  for (std::uint64_t i = 0; i < 64; ++i) {
    for (int bits = 9; bits <= 16; ++bits) {
      const std::uint32_t half = i % 2 == 0 ? word(i / 2) & 0xFFFFU : word(i / 2) >> 16;
      for (const byte_map map : {byte_map::ptx, byte_map::te_soft}) {
        CHECK(mx::random_bits_of({seed, bits, map}, i) == half >> (16 - bits));
      }
    }
  }
}

TEST_CASE("from_17_to_24_bits_every_element_has_a_word") {
  for (std::uint64_t i = 0; i < 64; ++i) {
    for (int bits = 17; bits <= 24; ++bits) {
      CHECK(mx::random_bits_of({seed, bits}, i) == word(i) >> (32 - bits));
    }
  }
}

TEST_CASE("elements_beyond_2_to_the_32_calls_carry_into_the_second_counter_word") {
  for (const std::uint64_t i : {std::uint64_t{1} << 36, (std::uint64_t{1} << 36) - 1,
                                ~std::uint64_t{0}, std::uint64_t{16} << 32 | 5}) {
    CHECK(mx::random_bits_of({seed, 20}, i) == word(i) >> 12);
    CHECK(mx::random_bits_of({seed, 8, byte_map::te_soft}, i) ==
          (word(i / 4) >> (i % 4 * 8) & 255U));
  }
}

TEST_CASE("fewer_bits_are_the_highest_of_more_within_a_kind_of_word") {
  for (std::uint64_t i = 0; i < 40; ++i) {
    CHECK(mx::random_bits_of({seed, 3}, i) == mx::random_bits_of({seed, 8}, i) >> 5);
    CHECK(mx::random_bits_of({seed, 9}, i) == mx::random_bits_of({seed, 16}, i) >> 7);
    CHECK(mx::random_bits_of({seed, 17}, i) == mx::random_bits_of({seed, 24}, i) >> 7);
  }
}

TEST_CASE("the_step_is_the_fourth_counter_word") {
  for (std::uint64_t i = 0; i < 8; ++i) {
    const auto drawn = mx::philox(seed, {{static_cast<std::uint32_t>(i / 4), 0, 5, 0xFEDCBA98}});
    CHECK(mx::random_bits_of({seed, 24, byte_map::ptx, 5, 0xFEDCBA98}, i) ==
          drawn.word[i % 4] >> 8);
  }
}

TEST_CASE("both_halves_of_the_seed_matter") {
  std::set<std::uint32_t> drawn;
  for (const std::uint64_t key : {std::uint64_t{1}, std::uint64_t{1} << 32, std::uint64_t{0}}) {
    drawn.insert(mx::random_bits_of({key, 24}, 7));
  }
  CHECK(drawn.size() == 3);
}

}  // namespace
