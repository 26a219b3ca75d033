// SPDX-License-Identifier: Apache-2.0
// tests/golden/io/integer_block_test.cpp: the integers of GGUF's blocks as numbers, by hand.
#include <bit>

#include "catch.h"
#include "gguf_parts.h"
#include "golden/io/integer_block.h"
#include "golden/io/widen.h"

namespace test {
namespace {

constexpr std::uint16_t half_of_1_5 = 0x3E00, half_of_minus_2 = 0xC000, half_of_inf = 0x7C00;

std::string sixteen(std::uint8_t first, std::uint8_t other) {
  return std::string(1, static_cast<char>(first)) + std::string(15, static_cast<char>(other));
}

std::vector<float> numbers(dtype type, const std::string& block) {
  return golden::io::to_float32({"t", type, {32}, bytes_of(block), "f"});
}

TEST_CASE("q4_0_codes_are_counted_from_minus_8_and_lie_in_halves") {
  const std::vector<float> x =
      numbers(dtype::q4_0_blocks, little_endian(half_of_1_5, 2) + sixteen(0xF0, 0x98));
  CHECK(x[0] == -12.0F);                           // 1.5 (0 - 8)
  CHECK(x[16] == 10.5F);                           // 1.5 (15 - 8)
  CHECK(std::bit_cast<std::uint32_t>(x[1]) == 0);  // 1.5 (8 - 8)
  CHECK(x[17] == 1.5F);
}

TEST_CASE("q4_1_codes_are_counted_from_an_offset_and_rounded_once") {
  const std::vector<float> x =
      numbers(dtype::q4_1_blocks, little_endian(half_of_1_5, 2) +
                                      little_endian(half_of_minus_2, 2) + sixteen(0x30, 0x11));
  CHECK(x[0] == -2.0F);
  CHECK(x[16] == 2.5F);
  CHECK(x[31] == -0.5F);
  // 15 * 2^-24 (1 + 2^-10 ...) beside 60,000: the sum has more bits than FP32.
  const std::vector<float> y = numbers(
      dtype::q4_1_blocks, little_endian(0x0001, 2) + little_endian(0x7B53, 2) + sixteen(0xFF, 0));
  CHECK(y[0] == 60000.0F + 0x1.ep-21F);
  CHECK(y[0] == 60000.0F);
}

TEST_CASE("q8_0_codes_are_signed_bytes") {
  std::string block = little_endian(half_of_minus_2, 2) + numbered(32);
  block[2] = static_cast<char>(0x80);
  block[3] = static_cast<char>(0xFF);
  const std::vector<float> x = numbers(dtype::q8_0_blocks, block);
  CHECK(x[0] == 256.0F);
  CHECK(x[1] == 2.0F);
  CHECK(x[2] == -4.0F);
  CHECK(x[31] == -62.0F);
}

TEST_CASE("a_product_of_zero_keeps_its_sign_and_nan_has_one_code") {
  std::string block = little_endian(half_of_minus_2, 2) + std::string(32, '\0');
  CHECK(std::bit_cast<std::uint32_t>(numbers(dtype::q8_0_blocks, block)[0]) == 0x80000000);
  block = little_endian(half_of_inf, 2) + std::string(31, '\0') + '\1';
  const std::vector<float> x = numbers(dtype::q8_0_blocks, block);
  CHECK(std::bit_cast<std::uint32_t>(x[0]) == 0x7FC00000);
  CHECK(std::bit_cast<std::uint32_t>(x[31]) == 0x7F800000);
}

TEST_CASE("blocks_follow_each_other") {
  const std::string one = little_endian(half_of_1_5, 2) + sixteen(0x00, 0x00);
  const std::string two = little_endian(half_of_minus_2, 2) + sixteen(0x0F, 0x00);
  const std::string both = one + two;
  const std::vector<float> x =
      golden::io::to_float32({"t", dtype::q4_0_blocks, {2, 32}, bytes_of(both), "f"});
  REQUIRE(x.size() == 64);
  CHECK(x[31] == -12.0F);
  CHECK(x[32] == -14.0F);
  CHECK(x[33] == 16.0F);
}

}  // namespace
}  // namespace test
