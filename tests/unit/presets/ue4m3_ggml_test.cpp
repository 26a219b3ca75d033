// SPDX-License-Identifier: Apache-2.0
// tests/unit/presets/ue4m3_ggml_test.cpp: mx/presets/ue4m3_ggml.h.
#include <cmath>

#include "catch.h"
#include "mx/presets/ue4m3_ggml.h"

namespace {

using mx::ggml::half_of_ue4m3;
using mx::ggml::ue4m3_code;

std::uint32_t nearest_even(float x) {
  return mx::encode(mx::formats::ue4m3, mx::unpack(x), mx::rounding::ties_to_even,
                    mx::overflow::saturate);
}

// ggml_fp32_to_ue4m3 in this machine's arithmetic.
std::uint32_t port(float x) {
  if (!(x > 0)) return 0;
  if (x > 448) x = 448;
  const std::uint32_t bits = mx::bits_of(x);
  int exponent = static_cast<int>(bits >> 23) - 120;
  if (exponent <= 0) {
    const int steps = static_cast<int>(x * 512.0F + 0.5F);
    return static_cast<std::uint32_t>(steps > 7 ? 7 : steps);
  }
  int fraction = static_cast<int>(bits >> 20 & 7) + static_cast<int>(bits >> 19 & 1);
  if (fraction > 7) {
    fraction = 0;
    ++exponent;
  }
  return exponent >= 15 ? 0x7E : static_cast<std::uint32_t>(exponent * 8 + fraction);
}

TEST_CASE("ggml_writes_0x7e_for_every_scale_from_248_on") {
  CHECK(ue4m3_code(std::nextafter(248.0F, 0.0F)) == 0x77);
  CHECK(ue4m3_code(248.0F) == 0x7E);
  CHECK(ue4m3_code(256.0F) == 0x7E);
  CHECK(nearest_even(256.0F) == 0x78);
  CHECK(ue4m3_code(448.0F) == 0x7E);
  CHECK(ue4m3_code(mx::fp32::infinity(false)) == 0x7E);
}

TEST_CASE("ggml_decides_ties_of_scales_by_one_bit_away_from_zero") {
  CHECK(ue4m3_code(1.0625F) == 0x39);
  CHECK(nearest_even(1.0625F) == 0x38);
  CHECK(ue4m3_code(1.1875F) == 0x3A);
  CHECK(nearest_even(1.1875F) == 0x3A);
}

TEST_CASE("ggml_rounds_subnormal_scales_half_up_and_stops_at_seven") {
  CHECK(ue4m3_code(15 * 0x1p-10F) == 0x07);
  CHECK(nearest_even(15 * 0x1p-10F) == 0x08);
  CHECK(ue4m3_code(0x1p-10F) == 0x01);
  CHECK(nearest_even(0x1p-10F) == 0x00);
  // Below the half step the sum with 1/2 is rounded up to 1.
  CHECK(ue4m3_code(std::nextafter(0x1p-10F, 0.0F)) == 0x01);
  CHECK(ue4m3_code(0x1.fffffcp-11F) == 0x00);
}

TEST_CASE("ggml_writes_scale_0_for_nan_and_for_what_is_not_positive") {
  CHECK(ue4m3_code(mx::fp32::nan) == 0);
  CHECK(ue4m3_code(mx::float_of(0xFFC00000)) == 0);
  CHECK(ue4m3_code(-1.0F) == 0);
  CHECK(ue4m3_code(-0.0F) == 0);
  CHECK(ue4m3_code(0.0F) == 0);
}

TEST_CASE("scale_codes_are_ggmls_for_every_bfloat16_and_its_neighbours") {
  for (std::uint32_t high = 0; high < 1 << 16; ++high) {
    for (const std::uint32_t low : {0U, 1U, 0x7FFFU, 0x8000U, 0xFFFFU}) {
      const float x = mx::float_of(high << 16 | low);
      REQUIRE(ue4m3_code(x) == port(x));
    }
  }
}

TEST_CASE("a_scale_decodes_to_half_its_value_and_0x7f_to_zero") {
  for (std::uint32_t code = 0; code < 0x7F; ++code) {
    const double value = code < 8 ? code * 0x1p-9 : std::ldexp(8 + code % 8, code / 8 - 10);
    CHECK(half_of_ue4m3(code) == static_cast<float>(value / 2));
    CHECK(half_of_ue4m3(code | 0x80) == half_of_ue4m3(code));
  }
  CHECK(half_of_ue4m3(0x7F) == 0.0F);
  CHECK(half_of_ue4m3(0xFF) == 240.0F);
}

}  // namespace
