// SPDX-License-Identifier: Apache-2.0
// tests/unit/number/formats_test.cpp: mx/number/formats.h.
#include <limits>

#include "catch.h"
#include "mx/number/element.h"

namespace {

using namespace mx::formats;

TEST_CASE("e2m1_counts_0_half_1_1half_2_3_4_6_in_both_signs") {
  const float magnitudes[] = {0, 0.5F, 1, 1.5F, 2, 3, 4, 6};
  for (std::uint32_t code = 0; code < 16; ++code) {
    const float magnitude = magnitudes[code % 8];
    const float expected = code < 8 ? magnitude : -magnitude;
    CHECK(mx::bits_of(mx::to_binary32(mx::decode(e2m1, code))) == mx::bits_of(expected));
  }
}

TEST_CASE("binary32_has_the_limits_of_the_machine_s_float") {
  using limits = std::numeric_limits<float>;
  static_assert(limits::is_iec559);
  CHECK(binary32.emax() == limits::max_exponent - 1);
  CHECK(binary32.emin() == limits::min_exponent - 1);
  CHECK(binary32.fraction_bits == limits::digits - 1);
  CHECK(binary32.max_code() == mx::bits_of(limits::max()));
  CHECK(binary32.infinity_code() == mx::bits_of(limits::infinity()));
}

TEST_CASE("bfloat16_is_the_upper_half_of_binary32") {
  CHECK(bfloat16.width() == 16);
  CHECK(bfloat16.bias == binary32.bias);
  CHECK(bfloat16.exponent_bits == binary32.exponent_bits);
  CHECK(bfloat16.infinity_code() == binary32.infinity_code() >> 16);
  CHECK(bfloat16.nan_code() == binary32.nan_code() >> 16);
}

float value(const mx::format& f, std::uint32_t code) {
  return mx::to_binary32(mx::decode(f, code));
}

TEST_CASE("elements_have_the_limits_of_the_table_of_their_standard") {
  struct row {
    mx::format f;
    float largest, smallest_normal, smallest;
  };
  for (const row r :
       {row{e2m1, 6, 1, 0.5F}, row{e2m3, 7.5F, 1, 0.125F}, row{e3m2, 28, 0.25F, 0.0625F},
        row{e4m3, 448, 0x1p-6F, 0x1p-9F}, row{e5m2, 57344, 0x1p-14F, 0x1p-16F},
        row{int8, 1.984375F, 1, 0x1p-6F}, row{e4m3fnuz, 240, 0x1p-7F, 0x1p-10F},
        row{e5m2fnuz, 57344, 0x1p-15F, 0x1p-17F}}) {
    CHECK(value(r.f, r.f.max_code()) == r.largest);
    CHECK(value(r.f, 1U << r.f.fraction_bits) == r.smallest_normal);
    CHECK(value(r.f, 1) == r.smallest);
    CHECK(value(r.f, 0) == 0);
    CHECK(r.f.width() == (r.f == e2m1 ? 4 : (r.f.width() == 6 ? 6 : 8)));
  }
}

TEST_CASE("scales_have_the_limits_of_their_definition") {
  CHECK(value(ue4m3, 126) == 448);
  CHECK(value(ue4m3, 1) == 0x1p-9F);
  CHECK(mx::decode(ue4m3, 127).kind == mx::kind::nan);
  CHECK(value(ue5m3, 254) == 114688);
  CHECK(value(ue5m3, 1) == 0x1p-17F);
  CHECK(mx::decode(ue5m3, 255).kind == mx::kind::nan);
  for (int k = 0; k <= 16; ++k) {
    const std::uint32_t one = 127U << k, last = (255U << k) - 1;
    CHECK(e8m(k).width() == 8 + k);
    CHECK(value(e8m(k), 0) == 0x1p-127F);
    CHECK(value(e8m(k), one) == 1);
    CHECK(e8m(k).max_code() == last);
    CHECK(e8m(k).nan_code() == 255U << k);
    for (const std::uint32_t code : {last + 1, last + (1U << k)}) {
      CHECK(mx::decode(e8m(k), code).kind == mx::kind::nan);
    }
    if (k > 0) CHECK(value(e8m(k), one + 1) == 1 + 1 / static_cast<float>(1U << k));
  }
}

TEST_CASE("int8_counts_64ths_from_minus_2_to_127_64ths") {
  for (int number = -128; number < 128; ++number) {
    const auto code = static_cast<std::uint32_t>(number) & 255U;
    CHECK(value(int8, code) == static_cast<float>(number) / 64);
  }
}

TEST_CASE("binary16_has_the_limits_of_ieee_754") {
  CHECK(value(binary16, 0x7BFF) == 65504);
  CHECK(value(binary16, 1) == 0x1p-24F);
  CHECK(value(binary16, 0x0400) == 0x1p-14F);
  CHECK(mx::decode(binary16, 0x7C00).kind == mx::kind::infinite);
}

TEST_CASE("specials_of_the_fp8_elements_are_where_their_standard_puts_them") {
  for (std::uint32_t code = 0; code < 256; ++code) {
    const std::uint32_t magnitude = code & 127U;
    CHECK((mx::decode(e4m3, code).kind == mx::kind::nan) == (magnitude == 127));
    CHECK((mx::decode(e5m2, code).kind == mx::kind::infinite) == (magnitude == 124));
    CHECK((mx::decode(e5m2, code).kind == mx::kind::nan) == (magnitude > 124));
    CHECK((mx::decode(e4m3fnuz, code).kind == mx::kind::nan) == (code == 128));
    CHECK((mx::decode(e5m2fnuz, code).kind == mx::kind::nan) == (code == 128));
  }
}

}  // namespace
