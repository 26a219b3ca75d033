// SPDX-License-Identifier: Apache-2.0
// tests/unit/number/philox_test.cpp: mx/number/philox.h. Known answers: Random123, kat_vectors,
// philox4x32 10.
#include <algorithm>
#include <set>

#include "catch.h"
#include "mx/number/philox.h"

namespace {

using mx::philox_counter;

TEST_CASE("philox_gives_the_known_answers") {
  CHECK(mx::philox(0, {{0, 0, 0, 0}}) ==
        philox_counter{{0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8}});
  CHECK(mx::philox(0xFFFFFFFFFFFFFFFF, {{0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}}) ==
        philox_counter{{0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD}});
  // Digits of pi; the low word of the key comes first.
  CHECK(mx::philox(0x299F31D0A4093822, {{0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344}}) ==
        philox_counter{{0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1}});
}

TEST_CASE("every_word_of_the_counter_and_both_halves_of_the_key_matter") {
  std::set<std::uint32_t> first_words;
  first_words.insert(mx::philox(0, {{0, 0, 0, 0}}).word[0]);
  for (int i = 0; i < 4; ++i) {
    philox_counter counter{};
    counter.word[i] = 1;
    first_words.insert(mx::philox(0, counter).word[0]);
  }
  first_words.insert(mx::philox(1, {{0, 0, 0, 0}}).word[0]);
  first_words.insert(mx::philox(std::uint64_t{1} << 32, {{0, 0, 0, 0}}).word[0]);
  CHECK(first_words.size() == 7);
}

TEST_CASE("uniform_numbers_are_exact_and_lie_inside_0_and_1") {
  for (std::uint32_t top = 0; top < 1U << 23; top += 4099) {
    const float u = mx::uniform_of(top << 9 | 0x1FF);
    CHECK(double{u} == (top + 0.5) / (1 << 23));
    CHECK(mx::uniform_of(top << 9) == u);  // the nine low bits do not count
  }
  CHECK(mx::uniform_of(0) > 0.0F);
  CHECK(mx::uniform_of(0xFFFFFFFF) < 1.0F);
}

TEST_CASE("the_words_are_spread_evenly") {
  int counts[16] = {};
  for (std::uint32_t i = 0; i < 4096; ++i) {
    for (const std::uint32_t word : mx::philox(7, {{i, 0, 0, 0}}).word) ++counts[word >> 28];
  }
  // 1024 are expected in each; the standard deviation is 31.
  CHECK(*std::min_element(counts, counts + 16) > 1024 - 155);
  CHECK(*std::max_element(counts, counts + 16) < 1024 + 155);
}

}  // namespace
