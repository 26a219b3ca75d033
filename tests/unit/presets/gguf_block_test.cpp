// SPDX-License-Identifier: Apache-2.0
// tests/unit/presets/gguf_block_test.cpp: mx/presets/gguf_block.h.
#include <vector>

#include "catch.h"
#include "mx/presets/gguf_block.h"

namespace {

using mx::gguf_block;
using bytes = std::vector<std::uint8_t>;

bytes codes_of(const gguf_block& f, int step) {
  bytes codes(static_cast<std::size_t>(f.elements));
  for (std::size_t i = 0; i < codes.size(); ++i) {
    codes[i] = static_cast<std::uint8_t>((i * static_cast<std::size_t>(step) + i / 16) % 16);
  }
  return codes;
}

bytes packed(const gguf_block& f, const bytes& scales, const bytes& codes) {
  bytes block(static_cast<std::size_t>(f.bytes()), 0xEE);
  mx::pack(f, scales.data(), codes.data(), block.data());
  return block;
}

TEST_CASE("an_mxfp4_block_is_its_scale_and_then_codes_j_and_j_and_16") {
  const bytes codes = codes_of(mx::gguf_blocks::mxfp4(), 3);
  const bytes block = packed(mx::gguf_blocks::mxfp4(), {0x7B}, codes);
  REQUIRE(block.size() == 17);
  CHECK(block[0] == 0x7B);
  for (std::size_t j = 0; j < 16; ++j) CHECK(block[1 + j] == (codes[j] | codes[j + 16] << 4));
}

TEST_CASE("an_nvfp4_block_is_four_scales_and_then_codes_j_and_j_and_8_of_each_16") {
  const bytes codes = codes_of(mx::gguf_blocks::nvfp4(), 5);
  const bytes block = packed(mx::gguf_blocks::nvfp4(), {0x38, 0x39, 0x3A, 0x3B}, codes);
  REQUIRE(block.size() == 36);
  for (std::size_t s = 0; s < 4; ++s) {
    CHECK(block[s] == 0x38 + s);
    for (std::size_t j = 0; j < 8; ++j) {
      CHECK(block[4 + s * 8 + j] == (codes[s * 16 + j] | codes[s * 16 + j + 8] << 4));
    }
  }
}

TEST_CASE("every_element_of_a_block_has_its_own_four_bits_beyond_the_scales") {
  for (const gguf_block& f : {mx::gguf_blocks::mxfp4(), mx::gguf_blocks::nvfp4()}) {
    std::vector<int> holders(static_cast<std::size_t>(2 * f.bytes()));
    for (int i = 0; i < f.elements; ++i) {
      const mx::code_place at = f.place(i);
      REQUIRE(f.element(at) == i);
      REQUIRE(f.scale_byte(i) == i / f.sub_block);
      ++holders.at(at.byte * 2 + (at.shift == 4 ? 1 : 0));
    }
    for (std::size_t i = 0; i < holders.size(); ++i) {
      CHECK(holders[i] == (i < static_cast<std::size_t>(2 * f.scales()) ? 0 : 1));
    }
  }
}

TEST_CASE("a_block_gives_back_its_scales_and_codes_and_the_map_agrees") {
  for (const gguf_block& f : {mx::gguf_blocks::mxfp4(), mx::gguf_blocks::nvfp4()}) {
    const bytes codes = codes_of(f, 7);
    bytes scales(static_cast<std::size_t>(f.scales()), 0x41);
    scales.back() = 0xFE;
    const bytes block = packed(f, scales, codes);
    bytes scales_back(scales.size()), codes_back(codes.size());
    mx::unpack(f, block.data(), scales_back.data(), codes_back.data());
    CHECK(scales_back == scales);
    CHECK(codes_back == codes);
    for (int i = 0; i < f.elements; ++i) {
      const mx::code_place at = f.place(i);
      CHECK((block[at.byte] >> at.shift & 0xF) == codes[static_cast<std::size_t>(i)]);
    }
  }
}

TEST_CASE("a_row_is_whole_blocks_end_to_end") {
  CHECK(mx::gguf_blocks::mxfp4().row_bytes(2880) == 90 * 17);
  CHECK(mx::gguf_blocks::nvfp4().row_bytes(4096) == 64 * 36);
  CHECK(mx::gguf_blocks::nvfp4().row_bytes(0) == 0);
  CHECK(mx::gguf_blocks::mxfp4().row_bytes(std::uint64_t{1} << 36) == std::uint64_t{17} << 31);
}

}  // namespace
