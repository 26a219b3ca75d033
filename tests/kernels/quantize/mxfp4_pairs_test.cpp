// SPDX-License-Identifier: Apache-2.0
// tests/kernels/quantize/mxfp4_pairs_test.cpp: elements and scales from pairs against the core,
// over all bfloat16 numbers and scales.
#include "quantize/mxfp4_pairs.h"

#include "catch.h"
#include "mx/block/names.h"

using namespace mx;
using namespace mx::kernels;

namespace {

float value_of_bfloat16(std::uint32_t code) { return float_of(code << 16); }

}  // namespace

TEST_CASE("every_amax_takes_the_scale_of_the_core_under_every_power_of_two_rule") {
  for (const auto& [rule, name, sentence] : scale_rule_table) {
    if (!is_power_of_two_rule(rule)) continue;
    const scale_step step = scale_step_of(rule);
    for (std::uint32_t amax = 0; amax < 0x7F80; ++amax) {
      const std::uint32_t below = amax << 16;
      const std::uint32_t expected =
          shared_scale<formats::e2m1>(rule, unpack(float_of(below))).code;
      if (scale_code_of(step, amax) != expected) {
        FAIL(name << ", amax " << amax << ": " << scale_code_of(step, amax) << " for " << expected);
      }
      for (const std::uint32_t cut : {1U, 0x8000U, 0xFFFFU}) {
        const std::uint32_t odd = pairs::rounded_to_odd(below | cut, 0) & 0xFFFF;
        const auto code = shared_scale<formats::e2m1>(rule, unpack(float_of(below | cut))).code;
        if (scale_code_of(step, odd) != code) {
          FAIL(name << ", amax " << (below | cut) << ": " << scale_code_of(step, odd) << " for "
                    << int(code));
        }
      }
    }
  }
}

TEST_CASE("every_bfloat16_number_takes_the_code_of_the_core_under_every_scale") {
  for (std::uint32_t scale = 0; scale <= 253; ++scale) {
    const e8m0 s{static_cast<std::uint8_t>(scale)};
    const std::uint32_t reciprocals = reciprocals_of(scale);
    for (std::uint32_t x = 0; x < 0x7F80; ++x) {
      const unpacked value = unpack(value_of_bfloat16(x));
      if (!value.is_zero() && value.floor_log2() > s.exponent() + 3) break;
      const std::uint32_t expected = quantize_element(value, s).code;
      const std::uint32_t codes = codes_of(x | (x | 0x8000) << 16, reciprocals);
      if (codes != (expected | (expected | 8) << 16)) {
        FAIL("x " << x << ", scale " << scale << ": " << codes << " for " << expected);
      }
    }
  }
}

TEST_CASE("binary32_numbers_between_bfloat16_numbers_take_the_code_of_the_core") {
  // Under the scale 1, on both sides of each bfloat16 number and at its first and last neighbour.
  for (std::uint32_t upper = 0; upper <= 0x4100; ++upper) {
    for (const std::uint32_t cut : {0U, 1U, 0x7FFFU, 0x8000U, 0xFFFFU}) {
      const std::uint32_t bits = upper << 16 | cut;
      const std::uint32_t pair = pairs::rounded_to_odd(bits, bits | 0x80000000);
      const std::uint32_t expected = quantize_element(unpack(float_of(bits)), e8m0{127}).code;
      if (codes_of(pair, reciprocals_of(127)) != (expected | (expected | 8) << 16)) {
        FAIL("x " << bits << ": " << codes_of(pair, reciprocals_of(127)) << " for " << expected);
      }
    }
  }
}

TEST_CASE("rounding_to_odd_keeps_what_is_special") {
  CHECK(pairs::rounded_to_odd(0x7F800001, 0xFF800000) == 0xFF807F81);
  CHECK(pairs::rounded_to_odd(0x7F7FFFFF, 0x00000001) == 0x00017F7F);
  CHECK(pairs::rounded_to_odd(0x3F808000, 0x3F800000) == 0x3F803F81);
}
