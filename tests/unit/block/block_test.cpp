// SPDX-License-Identifier: Apache-2.0
// tests/unit/block/block_test.cpp: mx/block/block.h.
#include <array>
#include <cmath>
#include <cstdlib>
#include <random>

#include "catch.h"
#include "mx/block/block.h"

namespace {

using mx::e2m1;
using mx::e8m0;
using mx::mxfp4;
using mx::scale_rule;
using floats = std::array<float, 32>;
constexpr scale_rule both_rules[] = {scale_rule::floor, scale_rule::rceil};

floats random_block(std::mt19937& random) {
  floats x;
  for (float& v : x) {
    const float fraction = static_cast<float>(static_cast<int>(random() % 4001) - 2000);
    v = std::ldexp(fraction, -static_cast<int>(random() % 6));
  }
  return x;
}

TEST_CASE("every_code_under_every_scale_byte_dequantizes_to_the_product_of_both") {
  for (int byte = 0; byte < 255; ++byte) {
    const e8m0 scale{static_cast<std::uint8_t>(byte)};
    for (std::uint8_t code = 0; code < 16; ++code) {
      const double exact = std::ldexp(double{mx::to_binary32(e2m1{code}.value())}, byte - 127);
      // The cast rounds if the product is below or beyond binary32; only 4 * 2^127 and more is.
      CHECK(mx::bits_of(mx::dequantize(e2m1{code}, scale)) ==
            mx::bits_of(static_cast<float>(exact)));
    }
  }
  for (std::uint8_t code = 0; code < 16; ++code) {
    CHECK(mx::bits_of(mx::dequantize(e2m1{code}, e8m0::nan())) == 0x7FC00000);
  }
}

TEST_CASE("the_extent_is_the_largest_finite_magnitude_and_whether_something_is_special") {
  const float inf = mx::float_of(0x7F800000), nan = mx::float_of(0xFFC00001);
  const float mixed[] = {1.0F, -3.0F, 2.5F}, special[] = {1.0F, inf, -2.0F},
              no_number[] = {nan, -inf};
  CHECK(mx::to_binary32(mx::extent_of(mixed, 3).amax) == 3.0F);
  CHECK_FALSE(mx::extent_of(mixed, 3).special);
  CHECK(mx::to_binary32(mx::extent_of(special, 3).amax) == 2.0F);
  CHECK(mx::extent_of(special, 3).special);
  CHECK(mx::extent_of(no_number, 2).amax.is_zero());
  CHECK(mx::extent_of(no_number, 2).special);
  CHECK(mx::extent_of(mixed, 0).amax.is_zero());
  const float largest[] = {-0x1.fffffep+127F, 1.0F};
  CHECK(mx::to_binary32(mx::extent_of(largest, 2).amax) == 0x1.fffffep+127F);
  CHECK_FALSE(mx::extent_of(largest, 2).special);
}

TEST_CASE("each_element_is_the_nearest_multiple_of_the_scale") {
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    const floats x = random_block(random);
    for (const scale_rule rule : both_rules) {
      const mxfp4 q = mx::quantize(x.data(), rule);
      for (int j = 0; j < mxfp4::size; ++j) {
        // Few enough bits that every distance is exact in binary64.
        const double found =
            std::fabs(double{mx::dequantize(q.elements[j], q.scale)} - double{x[j]});
        for (std::uint8_t code = 0; code < 16; ++code) {
          const double other =
              std::fabs(double{mx::dequantize(e2m1{code}, q.scale)} - double{x[j]});
          REQUIRE(found <= other);
          const bool tied = found == other && (code & 7) != (q.elements[j].code & 7);
          if (tied) REQUIRE(q.elements[j].code % 2 == 0);
        }
      }
    }
  }
}

TEST_CASE("scaling_a_block_by_a_power_of_two_moves_only_the_scale") {
  std::mt19937 random(2);
  for (int i = 0; i < 200; ++i) {
    const floats x = random_block(random);
    for (const scale_rule rule : both_rules) {
      const mxfp4 q = mx::quantize(x.data(), rule);
      for (const int power : {-60, -3, 1, 50}) {
        floats scaled = x;
        for (float& v : scaled) v = std::ldexp(v, power);
        mxfp4 expected = q;
        expected.scale = e8m0::from_exponent_clamped(q.scale.exponent() + power);
        REQUIRE(mx::quantize(scaled.data(), rule) == expected);
      }
    }
  }
}

TEST_CASE("negating_a_block_flips_the_sign_bit_of_every_element") {
  std::mt19937 random(3);
  for (int i = 0; i < 200; ++i) {
    floats x = random_block(random);
    const mxfp4 q = mx::quantize(x.data(), scale_rule::rceil);
    for (float& v : x) v = -v;
    const mxfp4 negated = mx::quantize(x.data(), scale_rule::rceil);
    REQUIRE(negated.scale == q.scale);
    for (int j = 0; j < mxfp4::size; ++j) {
      REQUIRE(negated.elements[j].code == (q.elements[j].code ^ 8));
    }
  }
}

TEST_CASE("a_block_that_is_made_of_grid_points_under_rceil_is_quantized_without_error") {
  floats x{};
  for (int j = 0; j < 32; ++j) {
    x[static_cast<std::size_t>(j)] =
        std::ldexp(mx::to_binary32(e2m1{static_cast<std::uint8_t>(j % 16)}.value()), -9);
  }
  const mxfp4 q = mx::quantize(x.data(), scale_rule::rceil);
  for (std::uint8_t j = 0; j < 32; ++j) CHECK(q.elements[j].code == j % 16);
  CHECK(q.scale.exponent() == -9);
}

TEST_CASE("rceil_never_saturates_and_floor_does_above_six_scales") {
  std::mt19937 random(4);
  bool saturated = false;
  for (int i = 0; i < 300; ++i) {
    const floats x = random_block(random);
    for (const scale_rule rule : both_rules) {
      const mxfp4 q = mx::quantize(x.data(), rule);
      for (const float v : x) {
        const double ratio = std::fabs(std::ldexp(double{v}, -q.scale.exponent()));
        if (rule == scale_rule::rceil) REQUIRE(ratio <= 6);
        REQUIRE(ratio < 8);
        saturated = saturated || ratio > 6;
      }
    }
  }
  CHECK(saturated);
}

TEST_CASE("a_nan_or_an_infinity_anywhere_gives_the_nan_scale_and_codes_of_zero") {
  for (const std::uint32_t bits :
       {0x7F800000U, 0xFF800000U, 0x7FC00000U, 0x7F800001U, 0xFFFFFFFFU}) {
    for (int at = 0; at < 32; ++at) {
      floats x;
      x.fill(3.0F);
      x[static_cast<std::size_t>(at)] = mx::float_of(bits);
      CHECK(mx::quantize(x.data(), scale_rule::rceil) == mxfp4{e8m0::nan(), {}});
    }
  }
}

TEST_CASE("a_block_of_zeros_takes_the_smallest_scale_and_keeps_the_signs") {
  floats x{};
  x[7] = -0.0F;
  const mxfp4 q = mx::quantize(x.data(), scale_rule::floor);
  CHECK(q.scale == e8m0::smallest());
  for (int j = 0; j < 32; ++j) CHECK(q.elements[j].code == (j == 7 ? 8 : 0));
}

TEST_CASE("what_exceeds_the_largest_float_dequantizes_to_infinity") {
  floats x{};
  x[0] = 0x1.cp+127F;  // under rceil 2^126 * 3.5, a tie between 3 and 4 that goes to 4
  const mxfp4 q = mx::quantize(x.data(), scale_rule::rceil);
  CHECK(mx::bits_of(mx::dequantize(q.elements[0], q.scale)) == 0x7F800000);
  x[0] = -mx::float_of(mx::bits_of(x[0]) - 1);
  const mxfp4 below = mx::quantize(x.data(), scale_rule::rceil);
  CHECK(mx::dequantize(below.elements[0], below.scale) == -0x1.8p+127F);
}

}  // namespace
