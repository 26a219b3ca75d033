// SPDX-License-Identifier: Apache-2.0
// tests/unit/block/block_scale_test.cpp: mx/block/block_scale.h.
#include <cmath>
#include <random>

#include "catch.h"
#include "mx/block/block_scale.h"
#include "mx/block/names.h"

namespace {

using mx::block_format;
using mx::scale_rule;
using mx::unpacked;
namespace formats = mx::formats;

block_format e2m1_with(const mx::format& scale) { return {formats::e2m1, scale}; }

std::uint32_t code_for(const block_format& f, scale_rule rule, float amax, float tensor = 1.0F) {
  const unpacked above = tensor == 1.0F ? mx::no_tensor_scale : mx::unpack(tensor);
  return mx::scale_code_of(f, rule, mx::unpack(amax), above);
}

float value_of(const mx::format& scale, std::uint32_t code) {
  return mx::to_binary32(mx::decode(scale, code));
}

TEST_CASE("the_ideal_e8m0_scale_is_the_nearest_power_of_two_and_a_tie_goes_to_the_even_code") {
  const block_format f = e2m1_with(formats::e8m0);
  for (int k = -120; k < 120; ++k) {
    const float power = std::ldexp(6.0F, k);
    const auto code = static_cast<std::uint32_t>(k + 127);
    CHECK(code_for(f, scale_rule::ideal, power) == code);
    CHECK(code_for(f, scale_rule::ideal, power * 1.5F) == code + code % 2);  // the tie
    const float below = mx::float_of(mx::bits_of(power * 1.5F) - 1);
    const float above = mx::float_of(mx::bits_of(power * 1.5F) + 1);
    CHECK(code_for(f, scale_rule::ideal, below) == code);
    CHECK(code_for(f, scale_rule::ideal, above) == code + 1);
  }
}

TEST_CASE("scales_with_fraction_bits_are_the_nearest_the_next_above_and_the_next_below") {
  for (const mx::format& scale :
       {formats::ue4m3, formats::ue5m3, formats::e8m(1), formats::e8m(7)}) {
    const block_format f = e2m1_with(scale);
    for (std::uint32_t code = 16; code < scale.max_code() && code < 5000; code += 3) {
      const double here = value_of(scale, code), next = value_of(scale, code + 1);
      if (!(next < 0x1p100) || here < 0x1p-100) continue;
      const auto middle = static_cast<float>(6 * (here + next) / 2);  // exact: at most 12 bits
      CHECK(code_for(f, scale_rule::ideal, middle) == code + code % 2);
      CHECK(code_for(f, scale_rule::rceil, middle) == code + 1);
      CHECK(code_for(f, scale_rule::floor6, middle) == code);
      const auto exact = static_cast<float>(6 * here);
      for (const scale_rule rule : {scale_rule::ideal, scale_rule::rceil, scale_rule::floor6}) {
        CHECK(code_for(f, rule, exact) == code);
      }
      CHECK(code_for(f, scale_rule::rceil, std::nextafter(exact, 1e38F)) == code + 1);
      CHECK(code_for(f, scale_rule::floor6, std::nextafter(exact, 0.0F)) == code - 1);
      CHECK(code_for(f, scale_rule::static_four, static_cast<float>(4 * here)) == code);
    }
  }
}

TEST_CASE("a_power_of_two_rule_in_another_format_takes_the_nearest_but_never_zero") {
  CHECK(code_for(e2m1_with(formats::ue4m3), scale_rule::floor, 4.0F) == 0x38);
  CHECK(code_for(e2m1_with(formats::ue4m3), scale_rule::floor, 0x1p-30F) == 1);
  CHECK(code_for(e2m1_with(formats::ue4m3), scale_rule::floor, 0x1p-9F * 4) == 1);
  CHECK(code_for(e2m1_with(formats::ue4m3), scale_rule::rceil, 0x1p-30F) == 1);
  CHECK(code_for(e2m1_with(formats::ue4m3), scale_rule::floor6, 0x1p-30F) == 1);
  CHECK(code_for(e2m1_with(formats::ue4m3), scale_rule::ideal, 0x1p-30F) == 0);
  CHECK(code_for(e2m1_with(formats::ue4m3), scale_rule::floor, 1e30F) == 126);
  CHECK(code_for(e2m1_with(formats::ue4m3), scale_rule::rceil, 1e30F) == 126);
  CHECK(code_for(e2m1_with(formats::e8m(4)), scale_rule::even, 4.0F) == 127U << 4);
  CHECK(value_of(formats::binary32,
                 code_for(e2m1_with(formats::binary32), scale_rule::ceil, 5.0F)) == 2.0F);
}

TEST_CASE("exponents_are_clamped_to_e8m0_before_they_are_put_into_any_format") {
  for (const scale_rule rule : {scale_rule::floor, scale_rule::ceil, scale_rule::midmax}) {
    const std::uint32_t code =
        code_for({formats::e5m2, formats::binary32}, rule, 0x1p-149F);  // 2^-164 unclamped
    CHECK(value_of(formats::binary32, code) == 0x1p-127F);
    CHECK(code_for({formats::e5m2, formats::e8m0}, rule, 0x1p-149F) == 0);
    CHECK(code_for({formats::int8, formats::e8m0}, scale_rule::rceil, 0x1.fffffep127F) == 254);
  }
}

TEST_CASE("an_fp32_scale_is_the_machine_s_quotient") {
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    const float amax = mx::float_of(random() % 0x7F800000U + 0);
    if (amax == 0) continue;
    const block_format f{formats::e4m3, formats::binary32, 1, 128};
    REQUIRE(code_for(f, scale_rule::ideal, amax) == mx::bits_of(amax / 448.0F));
  }
}

TEST_CASE("static_four_maps_to_4_and_is_the_rule_ceil_where_scales_are_powers_of_two") {
  for (std::uint32_t bits = 1; bits < 0x7F800000; bits += 7919 * 31) {
    const float amax = mx::float_of(bits);
    REQUIRE(code_for(e2m1_with(formats::e8m0), scale_rule::static_four, amax) ==
            code_for(e2m1_with(formats::e8m0), scale_rule::ceil, amax));
  }
  CHECK(code_for(e2m1_with(formats::e8m0), scale_rule::static_four, 4.0F) == 127);
  CHECK(code_for(e2m1_with(formats::e8m0), scale_rule::static_four, 4.0001F) == 128);
}

TEST_CASE("a_tensor_scale_divides_amax_exactly") {
  const block_format f = mx::block_formats::nvfp4;
  for (const float tensor : {0.5F, 0x1p-20F, 0x1p30F}) {
    for (float amax = 0.1F; amax < 900; amax *= 1.37F) {
      for (const scale_rule rule : {scale_rule::ideal, scale_rule::rceil, scale_rule::floor}) {
        CHECK(code_for(f, rule, amax * tensor, tensor) == code_for(f, rule, amax));
      }
    }
  }
  // 6 * 1.0625 / 3 * 3: the tie of 1 and 1.125 although neither quotient is a float.
  CHECK(code_for(f, scale_rule::ideal, 6 * 1.0625F * 3, 3.0F) == 0x38);
  CHECK(code_for(f, scale_rule::ideal, 6 * 1.1875F * 3, 3.0F) == 0x3A);
  CHECK(code_for(f, scale_rule::ideal, std::nextafter(6 * 1.0625F * 3, 99.0F), 3.0F) == 0x39);
}

TEST_CASE("the_tensor_scale_is_rounded_once_and_1_where_that_is_zero") {
  block_format f = mx::block_formats::nvfp4;
  for (const float amax : {1.0F, 3.7F, 0x1.fffffep127F, 0x1p-120F}) {
    CHECK(mx::tensor_scale_of(f, mx::unpack(amax)) == amax / 2688.0F);
  }
  CHECK(mx::tensor_scale_of(f, mx::unpack(0x1p-145F)) == 1.0F);
  CHECK(mx::tensor_scale_of(f, mx::unpack(0.0F)) == 1.0F);
  CHECK(mx::tensor_scale_of(f, mx::unpack(0x1p-138F)) == 0x1p-149F);
  f.bound = mx::tensor_bound::of_256;
  CHECK(mx::tensor_scale_of(f, mx::unpack(5.0F)) == 5.0F / 1536.0F);
  f.element = formats::e4m3;
  CHECK(mx::tensor_scale_of(f, mx::unpack(5.0F)) == 5.0F / 114688.0F);
}

TEST_CASE("a_tensor_scale_beyond_the_largest_number_is_that") {
  const block_format small{
      mx::format{2, 1, 40},          formats::ue4m3, 1, 16, mx::scale_precision::stored,
      mx::tensor_scaling::per_tensor};
  CHECK(mx::tensor_scale_of(small, mx::unpack(0x1p126F)) == 0x1.fffffep+127F);
  CHECK(mx::tensor_scale_of(small, mx::unpack(0x1p80F)) < 0x1.fffffep+127F);
}

TEST_CASE("under_a_scale_of_zero_codes_are_zeros_with_their_signs") {
  const mx::scale_ratio zero = mx::ratio_of(e2m1_with(formats::ue4m3), 0, mx::no_tensor_scale);
  for (const mx::rounding mode : {mx::rounding::ties_to_even, mx::rounding::away_from_zero}) {
    CHECK(mx::element_code(formats::e2m1, mx::unpack(-3.0F), zero, mode) == 8);
    CHECK(mx::element_code(formats::e2m1, mx::unpack(3.0F), zero, mode) == 0);
    CHECK(mx::element_code(formats::int8, mx::unpack(-3.0F), zero, mode) == 0);
    CHECK(mx::element_code(formats::e5m2fnuz, mx::unpack(-0.0F), zero, mode) == 0);
  }
}

TEST_CASE("a_larger_amax_never_gets_a_smaller_scale_in_any_format") {
  for (const mx::format& scale :
       {formats::e8m0, formats::e8m(2), formats::ue4m3, formats::ue5m3, formats::binary32}) {
    for (const auto& rule : mx::scale_rule_table) {
      if (!mx::follows_from_amax(rule.value)) continue;
      std::uint32_t last = 0;
      for (std::uint32_t bits = 1; bits < 0x7F800000; bits += 7919 * 97) {
        const std::uint32_t code = code_for(e2m1_with(scale), rule.value, mx::float_of(bits));
        REQUIRE(code >= last);
        last = code;
      }
    }
  }
}

}  // namespace
