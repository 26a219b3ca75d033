// SPDX-License-Identifier: Apache-2.0
// tests/golden/reference/corrections_test.cpp: macro-block scaling and outlier fallback, computed
// by hand and in general.
#include <random>

#include "catch.h"
#include "golden/reference/corrections.h"

namespace {

using golden::bits_of;
using golden::float_of;
using golden::macro_fraction;
using golden::power_of_two;
using golden::rational;
using golden::scale_rule;
using floats = std::vector<float>;

// A vector of zeros that begins with the given numbers.
floats padded(floats head, std::size_t size) {
  head.resize(size, 0.0F);
  return head;
}

TEST_CASE("the_macro_factor_is_the_largest_that_does_not_pass_6") {
  CHECK(macro_fraction(6, 8) == 0);
  CHECK(macro_fraction(4, 8) == 128);
  CHECK(macro_fraction(5, 8) == 51);
  CHECK(macro_fraction(3 + power_of_two(-40), 8) == 255);
  CHECK(macro_fraction(3, 8) == 0);
  CHECK(macro_fraction(rational(6 * 256, 257), 8) == 1);
  CHECK(macro_fraction(rational(6 * 256, 257) + power_of_two(-99), 8) == 0);
  CHECK(macro_fraction(4 * power_of_two(-149), 8) == 128);
  CHECK(macro_fraction(4 * power_of_two(125), 8) == 128);
  CHECK(macro_fraction(0, 8) == 0);
  CHECK(macro_fraction(4, 3) == 4);
  CHECK(macro_fraction(5, 3) == 1);
}

TEST_CASE("the_macro_factor_leaves_less_than_one_step_for_every_amax") {
  std::mt19937 random(9);
  for (int i = 0; i < 300; ++i) {
    const rational amax = golden::value_of(float_of(1 + random() % 0x7f7fffffU)).magnitude;
    const int fraction = macro_fraction(amax, 8);
    REQUIRE((0 <= fraction && fraction <= 255));
    rational target = 6;
    while (target < amax * rational(256 + fraction, 256)) target *= 2;
    while (target >= amax * rational(256 + fraction, 128)) target /= 2;
    REQUIRE(amax * rational(257 + fraction, 256) > target);
  }
}

TEST_CASE("macro_block_scaling_is_as_by_hand") {
  // amax 4 gives f = 3/2: 4 -> 6 -> 6 -> 4, 1 -> 1.5 -> 1, 0.5 -> .75 -> 1 -> 2/3
  const floats found =
      golden::macro_block_quantize(padded({4, -1, 0.5F, -0.0F}, 32), scale_rule::rceil);
  CHECK(found[0] == 4);
  CHECK(found[1] == -1);
  CHECK(bits_of(found[2]) == 0x3f2aaaab);
  CHECK(bits_of(found[3]) == 0x80000000);
}

TEST_CASE("macro_blocks_end_at_128_elements_or_with_the_vector") {
  floats x(160, 0.0F);
  x[0] = 6;  // f = 1 for the first 128
  x[40] = 0.5F;
  x[128] = 4;  // f = 3/2 for the other 32
  x[130] = 0.5F;
  const floats found = golden::macro_block_quantize(x, scale_rule::rceil);
  CHECK(found[40] == 0.5F);
  CHECK(bits_of(found[130]) == 0x3f2aaaab);
  const floats blocks_of_32 = golden::macro_block_quantize(x, scale_rule::rceil, {32, 8});
  CHECK(blocks_of_32[40] == 0.5F);
}

TEST_CASE("a_special_block_does_not_reach_its_macro_block") {
  floats x(64, 0.0F);
  x[0] = float_of(0x7f800000);
  x[1] = 4;  // still counts for the factor
  x[40] = 2.6F;
  const floats found = golden::macro_block_quantize(x, scale_rule::rceil);
  for (std::size_t i = 0; i < 32; ++i) CHECK(bits_of(found[i]) == golden::canonical_nan);
  CHECK(found[33] == 0);
  // 2.6 f = 3.9 goes to 4, and 4 / f is 8/3; f = 1, or a factor from 2.6 alone, would give 3
  // or 2.6.
  CHECK(bits_of(found[40]) == 0x402aaaab);
}

TEST_CASE("a_macro_factor_of_one_is_the_plain_quantizer") {
  std::mt19937 random(10);
  floats x(32);
  for (float& value : x) value = float_of((random() & 0x81ffffffU) + 0x3e000000U);
  x[5] = 6;
  for (const scale_rule rule : {scale_rule::floor, scale_rule::rceil}) {
    CHECK(golden::macro_block_quantize(x, rule) == golden::dequantize(golden::quantize(x, rule)));
  }
}

TEST_CASE("outlier_fallback_is_as_by_hand") {
  // x1 = 4, 0; the residual 1, .25 is on the grid of scale 1/4.
  const floats x = padded({5, 0.25F, -0.0F, 0.0F}, 32);
  const floats half = golden::outlier_fallback(x, scale_rule::rceil, 0.5F);
  CHECK(half[0] == 4.5F);
  CHECK(half[1] == 0.125F);
  CHECK(bits_of(half[2]) == 0);  // -0 + +0
  CHECK(bits_of(half[3]) == 0);
  const floats whole = golden::outlier_fallback(x, scale_rule::rceil, 1.0F);
  CHECK(whole[0] == 5);
  CHECK(whole[1] == 0.25F);
}

TEST_CASE("outlier_fallback_with_alpha_0_is_the_quantizer_but_for_signs_of_zeros") {
  std::mt19937 random(11);
  floats x(64);
  for (float& value : x) value = float_of((random() & 0x83ffffffU) + 0x3c000000U);
  CHECK(golden::outlier_fallback(x, scale_rule::floor, 0.0F, golden::macro_block_shape{64, 8}) ==
        golden::macro_block_quantize(x, scale_rule::floor, {64, 8}));
}

TEST_CASE("outlier_fallback_of_a_special_block_is_nan") {
  const floats x = padded({1, float_of(0xff800000)}, 64);
  const floats found = golden::outlier_fallback(x, scale_rule::floor, 0.5F);
  CHECK(bits_of(found[0]) == golden::canonical_nan);
  CHECK(bits_of(found[31]) == golden::canonical_nan);
  CHECK(bits_of(found[32]) == 0);
}

}  // namespace
