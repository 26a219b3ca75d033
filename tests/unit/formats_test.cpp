// SPDX-License-Identifier: Apache-2.0
// tests/unit/formats_test.cpp: mx/formats.h.
#include <limits>

#include "catch.h"
#include "mx/element.h"

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

}  // namespace
