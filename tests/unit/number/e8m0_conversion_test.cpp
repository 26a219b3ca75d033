// SPDX-License-Identifier: Apache-2.0
// tests/unit/number/e8m0_conversion_test.cpp: mx/number/e8m0_conversion.h. The codes were observed
// by running torch 2.15, ml_dtypes 0.6, gfloat 0.5, the host path of CUDA 13's header, and ONNX's
// algorithm.
#include <limits>

#include "catch.h"
#include "mx/number/e8m0_conversion.h"

namespace {

using mx::e8m0_conversion;
using mx::e8m0_decoding;

const e8m0_conversion& conversion(std::string_view name) {
  for (const e8m0_conversion& c : mx::e8m0_conversions::table) {
    if (c.name == name) return c;
  }
  FAIL("no conversion " << name);
  return mx::e8m0_conversions::table[0];
}

// In the order of a row below.
constexpr std::string_view columns[] = {
    "torch",     "onnx.nearest", "onnx.nearest-nosat", "onnx.up", "onnx.up-nosat",
    "onnx.down", "ml_dtypes",    "ml_dtypes.saturate", "gfloat",  "gfloat.saturate",
    "cuda.down", "cuda.up",      "cuda.up-nosat"};

struct row {
  std::uint32_t bits;
  int codes[13];
};

constexpr row rows[] = {
    {0x3FC00000, {128, 128, 128, 128, 128, 127, 128, 128, 128, 128, 127, 128, 128}},  // 1.5
    {0x40400000, {129, 129, 129, 129, 129, 128, 129, 129, 128, 128, 128, 129, 129}},  // 3
    {0x40200000, {128, 128, 128, 129, 129, 128, 128, 128, 128, 128, 128, 129, 129}},  // 2.5
    {0x00500000, {1, 1, 1, 1, 1, 0, 1, 1, 0, 0, 0, 1, 1}},  // 1.25 * 2^-127
    {0x00400001, {1, 1, 1, 1, 1, 0, 1, 1, 0, 0, 0, 1, 1}},  // just above 2^-127
    {0x007FFFFF, {1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1}},  // just below 2^-126
    {0x00400000, {0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0}},  // 2^-127
    {0x00300000, {0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0}},  // 1.5 * 2^-128
    {0x002FFFFF, {0, 0, 0, 1, 1, 0, 0, 0, 255, 255, 0, 0, 0}},
    {0x00200000, {0, 0, 0, 1, 1, 0, 0, 0, 255, 255, 0, 0, 0}},  // 2^-128
    {0x00000001, {0, 0, 0, 1, 1, 0, 0, 0, 255, 255, 0, 0, 0}},  // 2^-149
    {0x00000000, {0, 0, 0, 0, 0, 0, 255, 0, 255, 255, 0, 0, 0}},
    {0x80000000, {0, 0, 0, 0, 0, 0, 255, 0, 255, 255, 0, 0, 0}},                    // -0
    {0xBF800000, {127, 127, 127, 127, 127, 127, 255, 0, 255, 255, 127, 127, 127}},  // -1
    {0x7F200000,
     {254, 254, 254, 254, 255, 254, 254, 254, 254, 254, 254, 254, 255}},  // 1.25 * 2^127
    {0x7F400000, {255, 254, 255, 254, 255, 254, 255, 254, 254, 254, 254, 254, 255}},  // 1.5 * 2^127
    {0x7F7FFFFF, {255, 254, 255, 254, 255, 254, 255, 254, 255, 254, 254, 254, 255}},  // FLT_MAX
    {0x7F800000, {255, 255, 255, 255, 255, 255, 255, 255, 255, 254, 254, 254, 255}},  // Inf
    {0xFF800000, {255, 255, 255, 255, 255, 255, 255, 255, 255, 254, 254, 254, 255}},  // -Inf
    {0x7FC00000, {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255}},  // NaN
    {0xFFC00000, {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255}}};

TEST_CASE("every_conversion_gives_the_codes_that_were_seen") {
  for (const row& r : rows) {
    for (std::size_t i = 0; i < std::size(columns); ++i) {
      CAPTURE(r.bits, columns[i]);
      REQUIRE(mx::convert(conversion(columns[i]), mx::float_of(r.bits)) == r.codes[i]);
    }
  }
}

TEST_CASE("powers_of_two_are_themselves_in_every_conversion_but_the_lowest_of_onnx_up") {
  for (const e8m0_conversion& c : mx::e8m0_conversions::table) {
    for (int code = 1; code < 255; ++code) {
      CAPTURE(c.name, code);
      const float power = mx::float_of(static_cast<std::uint32_t>(code) << 23);
      REQUIRE(mx::convert(c, power) == code);
    }
  }
}

TEST_CASE("conversions_of_cuda_s_header_are_the_core_s") {
  using mx::overflow;
  using mx::rounding;
  for (std::uint32_t bits = 0; bits < 0x7F800000; bits += 4099) {
    const mx::unpacked x = mx::unpack(mx::float_of(bits));
    const auto code = [&x](rounding how, overflow beyond) {
      return x.is_zero() ? 0U : mx::encode(mx::formats::e8m0, x, how, beyond);
    };
    const float number = mx::float_of(bits);
    REQUIRE(mx::convert(conversion("cuda.down"), number) ==
            code(rounding::toward_zero, overflow::saturate));
    REQUIRE(mx::convert(conversion("cuda.up"), number) ==
            code(rounding::away_from_zero, overflow::saturate));
    REQUIRE(mx::convert(conversion("cuda.up-nosat"), number) ==
            code(rounding::away_from_zero, overflow::to_infinity));
  }
}

TEST_CASE("no_conversion_decreases_where_its_number_grows") {
  for (const e8m0_conversion& c : mx::e8m0_conversions::table) {
    int last = 0;
    for (std::uint32_t bits = 0x00300000; bits <= 0x7F800000; bits += 65521) {
      const int code = mx::convert(c, mx::float_of(bits));
      CAPTURE(c.name, bits);
      REQUIRE(code >= last);
      last = code;
    }
  }
}

TEST_CASE("decoders_agree_but_for_the_first_and_the_last_code") {
  for (const e8m0_decoding how :
       {e8m0_decoding::power, e8m0_decoding::zero_for_zero, e8m0_decoding::shifted,
        e8m0_decoding::saturated, e8m0_decoding::infinite, e8m0_decoding::unlimited}) {
    for (int code = 1; code < 255; ++code) {
      const float power = mx::float_of(static_cast<std::uint32_t>(code) << 23);
      REQUIRE(mx::decoded(how, static_cast<std::uint8_t>(code), 1.0F) == power);
    }
  }
}

TEST_CASE("the_first_and_the_last_code_are_decoded_as_the_table_tells") {
  const float inf = std::numeric_limits<float>::infinity();
  const auto is_nan = [](float x) { return x != x; };
  REQUIRE(mx::decoded(e8m0_decoding::power, 0, 1.0F) == 0x1p-127F);
  REQUIRE(is_nan(mx::decoded(e8m0_decoding::power, 255, 0.0F)));
  REQUIRE(mx::bits_of(mx::decoded(e8m0_decoding::zero_for_zero, 0, -6.0F)) == 0x80000000);
  REQUIRE(is_nan(mx::decoded(e8m0_decoding::zero_for_zero, 255, 1.0F)));
  REQUIRE(mx::decoded(e8m0_decoding::shifted, 0, 6.0F) == 0.0F);
  REQUIRE(mx::decoded(e8m0_decoding::shifted, 255, -0.5F) == -inf);
  REQUIRE(is_nan(mx::decoded(e8m0_decoding::shifted, 255, 0.0F)));
  REQUIRE(mx::decoded(e8m0_decoding::saturated, 0, 6.0F) == 0.0F);
  REQUIRE(mx::decoded(e8m0_decoding::saturated, 255, -0.5F) == -std::numeric_limits<float>::max());
  REQUIRE(mx::decoded(e8m0_decoding::saturated, 254, 6.0F) == std::numeric_limits<float>::max());
  REQUIRE(is_nan(mx::decoded(e8m0_decoding::saturated, 255, 0.0F)));
  REQUIRE(mx::decoded(e8m0_decoding::infinite, 0, 1.0F) == 0x1p-127F);
  REQUIRE(mx::decoded(e8m0_decoding::infinite, 255, 0.5F) == inf);
  REQUIRE(mx::decoded(e8m0_decoding::unlimited, 255, 0.5F) == 0x1p127F);
  REQUIRE(mx::decoded(e8m0_decoding::unlimited, 255, 1.0F) == inf);
  REQUIRE(mx::decoded(e8m0_decoding::unlimited, 255, 0.0F) == 0.0F);
}

TEST_CASE("ties_go_up_from_every_field_but_that_of_the_subnormals") {
  for (std::uint32_t field = 0; field < 255; ++field) {
    const std::uint32_t tie = field << 23 | 0x400000;
    CHECK(mx::e8m0_code(tie, mx::e8m0_rounding::nearest_up) == (field == 0 ? 0 : field + 1));
    CHECK(mx::e8m0_code(tie + 1, mx::e8m0_rounding::nearest_up) == field + 1);
    CHECK(mx::e8m0_code(tie - 1, mx::e8m0_rounding::nearest_up) == field);
  }
}

}  // namespace
