// SPDX-License-Identifier: Apache-2.0
// tests/unit/presets/gpt_oss_block_test.cpp: mx/presets/gpt_oss_block.h.
#include <vector>

#include "catch.h"
#include "mx/presets/gpt_oss_block.h"

namespace {

using mx::gpt_oss_shape;
using bytes = std::vector<std::uint8_t>;
using u64 = std::uint64_t;

/// Sixteen bytes whose nibbles are all codes, in an order without symmetry.
bytes block_of(unsigned seed) {
  bytes block(16);
  for (unsigned i = 0; i < 16; ++i) {
    block[i] = static_cast<std::uint8_t>(((seed * 37 + i * 11) & 0xFF) ^ (i << 4));
  }
  return block;
}

TEST_CASE("the_element_of_a_row_lies_in_the_byte_that_the_tensor_of_rows_groups_16_has") {
  const gpt_oss_shape shape{5, 3};
  std::vector<int> holders(2 * shape.blocks_size());
  for (u64 row = 0; row < shape.rows; ++row) {
    for (u64 column = 0; column < shape.columns(); ++column) {
      const u64 group = column / 32, byte = column % 32 / 2;
      const mx::code_place expected{(row * 3 + group) * 16 + byte, column % 2 == 0 ? 0 : 4};
      REQUIRE(shape.place(row, column) == expected);
      REQUIRE(shape.element(expected) == row * 96 + column);
      REQUIRE(shape.scale_byte(row, column) == row * 3 + group);
      ++holders.at(expected.byte * 2 + column % 2);
    }
  }
  for (const int holder : holders) CHECK(holder == 1);
  CHECK(shape.scales_size() == 15);
}

TEST_CASE("a_shape_without_rows_or_groups_has_no_bytes") {
  CHECK(gpt_oss_shape{0, 90}.blocks_size() == 0);
  CHECK(gpt_oss_shape{7, 0}.scales_size() == 0);
  CHECK(gpt_oss_shape{7, 0}.columns() == 0);
}

TEST_CASE("weights_beyond_2_to_the_31_elements_have_their_places") {
  const gpt_oss_shape shape{u64{32} * 5760 * 1000, 90};
  const u64 row = shape.rows - 1, column = shape.columns() - 1;
  CHECK(shape.place(row, column) == mx::code_place{shape.blocks_size() - 1, 4});
  CHECK(shape.scale_byte(row, column) == shape.scales_size() - 1);
  CHECK(shape.element(shape.place(row, column)) == shape.rows * shape.columns() - 1);
}

TEST_CASE("the_gguf_block_has_the_scale_and_then_the_halves_of_the_row") {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const bytes block = block_of(seed);
    bytes gguf(17, 0xEE);
    mx::gguf_from_gpt_oss(block.data(), static_cast<std::uint8_t>(seed * 5), gguf.data());
    CHECK(gguf[0] == static_cast<std::uint8_t>(seed * 5));
    // Elements 2i and 2i + 1 of byte i become the low or the high nibbles of bytes 2i and 2i + 1.
    for (std::size_t i = 0; i < 8; ++i) {
      CHECK(gguf[1 + 2 * i] == ((block[i] & 0xF) | (block[i + 8] & 0xF) << 4));
      CHECK(gguf[2 + 2 * i] == (block[i] >> 4 | (block[i + 8] & 0xF0)));
    }
    bytes back(16, 0xEE);
    std::uint8_t scale = 0xEE;
    mx::gpt_oss_from_gguf(gguf.data(), back.data(), &scale);
    CHECK(back == block);
    CHECK(scale == gguf[0]);
  }
}

}  // namespace
