// SPDX-License-Identifier: Apache-2.0
// tests/unit/tensor/packing_test.cpp: mx/tensor/packing.h.
#include <random>
#include <set>
#include <string_view>
#include <vector>

#include "catch.h"
#include "mx/tensor/packing.h"

namespace {

using mx::code_place;
using mx::nibble_order;
using mx::nibble_packing;
using bytes = std::vector<std::uint8_t>;
using u64 = std::uint64_t;

std::vector<nibble_packing> packings() {
  using namespace mx::nibble_packings;
  return {low_first(),   high_first(),   split_half(2),  split_half(4),
          split_half(6), split_half(16), split_half(32), split_half(128)};
}

bytes random_codes(std::size_t count, int bits, unsigned seed) {
  std::mt19937 random(seed);
  bytes codes(count);
  for (auto& code : codes) code = static_cast<std::uint8_t>(random() % (1U << bits));
  return codes;
}

bytes packed(const nibble_packing& how, const bytes& codes) {
  bytes out(how.bytes(codes.size()), 0xEE);
  mx::pack_nibbles(how, codes.data(), codes.size(), out.data());
  return out;
}

bytes packed_six(const bytes& codes) {
  bytes out(mx::six_bits::bytes(codes.size()), 0xEE);
  mx::six_bits::pack(codes.data(), codes.size(), out.data());
  return out;
}

TEST_CASE("the_three_orders_of_four_codes_are_the_written_bytes") {
  const bytes codes{0x1, 0x2, 0x3, 0x4};
  CHECK(packed(mx::nibble_packings::low_first(), codes) == bytes{0x21, 0x43});
  CHECK(packed(mx::nibble_packings::high_first(), codes) == bytes{0x12, 0x34});
  CHECK(packed(mx::nibble_packings::split_half(4), codes) == bytes{0x31, 0x42});
}

TEST_CASE("a_split_block_has_code_j_below_code_j_and_half_a_block") {
  const bytes codes = random_codes(96, 4, 1);
  const bytes out = packed(mx::nibble_packings::split_half(32), codes);
  REQUIRE(out.size() == 48);
  for (std::size_t block = 0; block < 3; ++block) {
    for (std::size_t j = 0; j < 16; ++j) {
      const std::uint8_t both = out[block * 16 + j];
      CHECK((both & 0xF) == codes[block * 32 + j]);
      CHECK(both >> 4 == codes[block * 32 + j + 16]);
    }
  }
}

TEST_CASE("the_word_of_four_ptx_operands_is_low_first_from_the_last_to_the_first") {
  // cvt to e2m1x4 of {a, b, e, f}: a has bits 15:12, f has bits 3:0.
  const std::uint8_t a = 0xA, b = 0xB, e = 0xE, f = 0xF;
  const unsigned word = static_cast<unsigned>(a << 12 | b << 8 | e << 4 | f);
  const bytes low = packed(mx::nibble_packings::low_first(), {f, e, b, a});
  CHECK((low[0] | low[1] << 8) == static_cast<int>(word));
  CHECK(packed(mx::nibble_packings::high_first(), {a, b}) == bytes{0xAB});
}

TEST_CASE("every_code_has_its_own_four_bits_and_every_four_bits_their_code") {
  for (const nibble_packing& how : packings()) {
    for (u64 blocks = 0; blocks < 5; ++blocks) {
      const u64 count = blocks * how.block;
      std::vector<int> holders(2 * how.bytes(count));
      REQUIRE(holders.size() == count);
      for (u64 i = 0; i < count; ++i) {
        const code_place at = how.place(i);
        REQUIRE((at.shift == 0 || at.shift == 4));
        REQUIRE(how.index(at) == i);
        ++holders.at(at.byte * 2 + (at.shift == 4 ? 1 : 0));
      }
      for (const int holder : holders) REQUIRE(holder == 1);
    }
  }
}

TEST_CASE("unpacking_gives_back_what_was_packed_and_the_rest_of_a_block_is_0") {
  for (const nibble_packing& how : packings()) {
    for (std::size_t count = 0; count < 70; ++count) {
      const bytes codes = random_codes(count, 4, static_cast<unsigned>(count));
      const bytes out = packed(how, codes);
      bytes back(out.size() * 2, 0xEE);
      mx::unpack_nibbles(how, out.data(), back.size(), back.data());
      for (std::size_t i = 0; i < back.size(); ++i) {
        REQUIRE(back[i] == (i < count ? codes[i] : 0));
      }
    }
  }
}

TEST_CASE("high_bits_of_a_code_do_not_reach_its_neighbour") {
  CHECK(packed(mx::nibble_packings::low_first(), {0xF1, 0xF2}) == bytes{0x21});
  CHECK(packed_six({0xC1, 0xC2}) == packed_six({0x01, 0x02}));
}

TEST_CASE("codes_beyond_2_to_the_33_have_their_places") {
  const u64 far = (u64{1} << 33) + 5;
  CHECK(mx::nibble_packings::low_first().place(far) == code_place{(u64{1} << 32) + 2, 4});
  CHECK(mx::nibble_packings::split_half(32).place(far) == code_place{(u64{1} << 32) + 5, 0});
  CHECK(mx::nibble_packings::low_first().bytes(far) == (u64{1} << 32) + 3);
  for (const nibble_packing& how : packings()) {
    for (u64 i = far; i < far + 300; ++i) REQUIRE(how.index(how.place(i)) == i);
  }
  CHECK(mx::six_bits::place(far) == code_place{(far * 3) / 4, static_cast<int>(far % 4 * 6 % 8)});
  CHECK(mx::six_bits::index(mx::six_bits::place(far)) == far);
  CHECK(mx::nibble_packings::low_first().bytes(~u64{0}) == u64{1} << 63);
}

TEST_CASE("six_bit_codes_have_the_bytes_of_the_vendor_s_constants") {
  CHECK(packed_six({0x1F, 0x3F}) == bytes{0xDF, 0x0F});  // +7.5, -7.5 in E2M3
  CHECK(packed_six({0x00, 0x20}) == bytes{0x00, 0x08});  // +0, -0
}

TEST_CASE("six_bit_codes_are_one_little_endian_number_without_gaps") {
  const bytes codes = random_codes(32, 6, 2);
  const bytes out = packed_six(codes);
  REQUIRE(out.size() == 24);
  for (std::size_t bit = 0; bit < 192; ++bit) {
    CHECK((out[bit / 8] >> bit % 8 & 1) == (codes[bit / 6] >> bit % 6 & 1));
  }
}

TEST_CASE("six_bit_codes_of_any_count_come_back_and_places_are_inverted") {
  for (std::size_t count = 0; count < 70; ++count) {
    const bytes codes = random_codes(count, 6, static_cast<unsigned>(count));
    const bytes out = packed_six(codes);
    bytes back(count);
    mx::six_bits::unpack(out.data(), count, back.data());
    REQUIRE(back == codes);
    REQUIRE(mx::six_bits::index(mx::six_bits::place(count)) == count);
  }
  CHECK(packed_six({0x3F, 0x3F, 0x3F}) == bytes{0xFF, 0xFF, 0x03});
}

TEST_CASE("the_table_names_every_order_once_with_its_source") {
  std::set<std::string_view> names;
  std::set<nibble_order> values;
  for (const auto& entry : mx::nibble_order_table) {
    names.insert(entry.name);
    values.insert(entry.value);
    CHECK(static_cast<std::size_t>(entry.value) == names.size() - 1);  // it is an index too
    CHECK_FALSE(entry.sentence.empty());
    CHECK_FALSE(entry.source.empty());
  }
  CHECK(names.size() == 3);
  CHECK(values.size() == 3);
}

}  // namespace
