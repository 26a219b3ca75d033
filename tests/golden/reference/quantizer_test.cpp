// SPDX-License-Identifier: Apache-2.0
// tests/golden/reference/quantizer_test.cpp: hand-computed MXFP4 blocks, and properties of every
// block.
#include <algorithm>
#include <random>

#include "catch.h"
#include "golden/reference/quantizer.h"

namespace {

using golden::bits_of;
using golden::coded_block;
using golden::float_of;
using golden::power_of_two;
using golden::rational;
using golden::scale_rule;
using codes = std::vector<std::uint8_t>;

std::uint8_t byte_for(float amax, scale_rule rule) { return golden::quantize({amax}, rule).scale; }

TEST_CASE("the_grid_decodes_every_e2m1_code") {
  const coded_block block{127, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}};
  const std::vector<float> expected{0,     .5F,  1,  1.5F,  2,  3,  4,  6,
                                    -0.0F, -.5F, -1, -1.5F, -2, -3, -4, -6};
  const std::vector<float> found = golden::dequantize(block);
  for (std::size_t i = 0; i < expected.size(); ++i)
    CHECK(bits_of(found[i]) == bits_of(expected[i]));
}

TEST_CASE("elements_go_to_the_nearest_code_and_ties_to_the_even_one") {
  const std::vector<rational> ties{{1, 4}, {3, 4}, {5, 4}, {7, 4}, {5, 2}, {7, 2}, 5};
  const codes at_tie{0, 2, 2, 4, 4, 6, 6};
  const rational little = power_of_two(-80);
  for (std::size_t i = 0; i < ties.size(); ++i) {
    CHECK(golden::nearest_code(ties[i]) == at_tie[i]);
    CHECK(golden::nearest_code(ties[i] - little) == i);
    CHECK(golden::nearest_code(ties[i] + little) == i + 1);
  }
  CHECK(golden::nearest_code(6) == 7);
  CHECK(golden::nearest_code(power_of_two(100)) == 7);
  CHECK(golden::nearest_code(0) == 0);
}

TEST_CASE("the_floor_rule_puts_amax_between_4_and_8") {
  CHECK(byte_for(4.0F, scale_rule::floor) == 127);
  CHECK(byte_for(0x1.fffffep+1F, scale_rule::floor) == 126);
  CHECK(byte_for(0x1.fffffep+2F, scale_rule::floor) == 127);
  CHECK(byte_for(8.0F, scale_rule::floor) == 128);
  CHECK(byte_for(1.0F, scale_rule::floor) == 125);
  CHECK(byte_for(float_of(0x7f7fffff), scale_rule::floor) == 252);
  CHECK(byte_for(0x1p-125F, scale_rule::floor) == 0);
  CHECK(byte_for(0x1p-124F, scale_rule::floor) == 1);
  CHECK(byte_for(float_of(1), scale_rule::floor) == 0);
}

TEST_CASE("the_rceil_rule_puts_amax_above_3_and_up_to_6") {
  CHECK(byte_for(6.0F, scale_rule::rceil) == 127);
  CHECK(byte_for(0x1.800002p+2F, scale_rule::rceil) == 128);
  CHECK(byte_for(3.0F, scale_rule::rceil) == 126);
  CHECK(byte_for(0x1.800002p+1F, scale_rule::rceil) == 127);
  CHECK(byte_for(4.0F, scale_rule::rceil) == 127);
  CHECK(byte_for(float_of(0x7f7fffff), scale_rule::rceil) == 253);
  CHECK(byte_for(0x1.8p-125F, scale_rule::rceil) == 0);
  CHECK(byte_for(0x1.800002p-125F, scale_rule::rceil) == 1);
  CHECK(byte_for(float_of(1), scale_rule::rceil) == 0);
}

TEST_CASE("amax_alone_gives_the_scale_byte_of_its_block") {
  for (const rational& amax : {rational(0), rational(6), rational(13, 2), rational(8)}) {
    for (const scale_rule rule : {scale_rule::floor, scale_rule::rceil, scale_rule::even}) {
      CHECK(golden::scale_byte(amax, rule) ==
            golden::scale_byte(golden::exact_block{{true, amax}, {false, 0}}, rule));
    }
  }
  CHECK(golden::scale_byte(rational(6), scale_rule::rceil) == 127);
}

TEST_CASE("a_block_is_quantized_as_by_hand") {
  const std::vector<float> x{6.5F, -5.0F, 0.25F, -0.25F, -0.0F, 1.2F, -2.6F, 0.0F};
  CHECK(golden::quantize(x, scale_rule::floor) == coded_block{127, {7, 14, 0, 8, 8, 2, 13, 0}});
  // rceil takes s = 2: 3.25, -2.5, .125, -.125, -0, .6, -1.3, 0
  CHECK(golden::quantize(x, scale_rule::rceil) == coded_block{128, {5, 12, 0, 8, 8, 1, 11, 0}});
}

TEST_CASE("zeros_keep_their_signs_under_scale_byte_0") {
  for (const scale_rule rule : {scale_rule::floor, scale_rule::rceil}) {
    const coded_block block = golden::quantize({0.0F, -0.0F}, rule);
    CHECK(block == coded_block{0, {0, 8}});
    CHECK(bits_of(golden::dequantize(block)[1]) == 0x80000000);
  }
}

TEST_CASE("a_nan_or_an_infinity_makes_a_nan_block") {
  for (const std::uint32_t bits :
       {0x7f800000U, 0xff800000U, 0x7fc00000U, 0xffc12345U, 0x7f800001U}) {
    const coded_block block = golden::quantize({1.0F, float_of(bits)}, scale_rule::floor);
    CHECK(block == coded_block{255, {0, 0}});
    for (const float x : golden::dequantize(block)) CHECK(bits_of(x) == 0x7fc00000);
  }
  CHECK(bits_of(golden::dequantize({255, {9}})[0]) == 0x7fc00000);
}

TEST_CASE("dequantization_reaches_subnormals_and_infinity") {
  const std::vector<float> low = golden::dequantize({0, {1, 9, 7, 8}});
  CHECK(bits_of(low[0]) == 0x00200000);
  CHECK(bits_of(low[1]) == 0x80200000);
  CHECK(low[2] == 0x1.8p-125F);
  CHECK(bits_of(low[3]) == 0x80000000);
  const std::vector<float> high = golden::dequantize({254, {3, 4, 12, 1}});
  CHECK(high[0] == 0x1.8p127F);
  CHECK(bits_of(high[1]) == 0x7f800000);
  CHECK(bits_of(high[2]) == 0xff800000);
  CHECK(high[3] == 0x1p126F);
}

TEST_CASE("rceil_overflows_from_3_and_a_half_times_2_to_the_126") {
  const auto through = [](float x) {
    return bits_of(golden::dequantize(golden::quantize({x}, scale_rule::rceil))[0]);
  };
  CHECK(through(0x1.bffffep+127F) == bits_of(0x1.8p+127F));
  CHECK(through(0x1.cp+127F) == 0x7f800000);
  CHECK(through(-float_of(0x7f7fffff)) == 0xff800000);
}

TEST_CASE("quantizing_what_was_quantized_changes_nothing") {
  std::mt19937 random(4);
  for (int i = 0; i < 60; ++i) {
    std::vector<float> x(32);
    for (float& value : x) value = float_of((random() & 0x83ffffffU) + 0x3c000000U);
    for (const scale_rule rule : {scale_rule::floor, scale_rule::rceil}) {
      const std::vector<float> once = golden::dequantize(golden::quantize(x, rule));
      REQUIRE(golden::dequantize(golden::quantize(once, rule)) == once);
    }
  }
}

TEST_CASE("scaling_by_a_power_of_two_moves_the_scale_alone") {
  std::mt19937 random(5);
  for (int i = 0; i < 40; ++i) {
    std::vector<float> x(32);
    for (float& value : x) value = float_of((random() & 0x83ffffffU) + 0x3c000000U);
    std::vector<float> larger = x;
    for (float& value : larger) value *= 1024;
    for (const scale_rule rule : {scale_rule::floor, scale_rule::rceil}) {
      const coded_block a = golden::quantize(x, rule);
      const coded_block b = golden::quantize(larger, rule);
      REQUIRE(b.scale == a.scale + 10);
      REQUIRE(b.codes == a.codes);
    }
  }
}

}  // namespace
