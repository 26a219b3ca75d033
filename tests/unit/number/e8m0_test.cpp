// SPDX-License-Identifier: Apache-2.0
// tests/unit/number/e8m0_test.cpp: mx/number/e8m0.h.
#include <algorithm>

#include "catch.h"
#include "mx/number/e8m0.h"

namespace {

using mx::e8m0;

TEST_CASE("every_scale_byte_but_255_stands_for_its_power_of_two") {
  for (int code = 0; code < 255; ++code) {
    const e8m0 scale{static_cast<std::uint8_t>(code)};
    CHECK_FALSE(scale.is_nan());
    CHECK(scale.exponent() == code - 127);
    CHECK(e8m0::from_exponent_clamped(scale.exponent()) == scale);
  }
  CHECK(e8m0{255}.is_nan());
  CHECK(e8m0::nan() == e8m0{255});
}

TEST_CASE("exponents_beyond_the_ends_are_clamped_and_never_become_nan") {
  for (int exponent = -1000; exponent <= 1000; ++exponent) {
    const e8m0 scale = e8m0::from_exponent_clamped(exponent);
    CHECK_FALSE(scale.is_nan());
    CHECK(scale.exponent() == std::clamp(exponent, -127, 127));
  }
  CHECK(e8m0::smallest() == e8m0::from_exponent_clamped(-1000));
}

TEST_CASE("a_scale_begins_as_the_smallest") { CHECK(e8m0{} == e8m0::smallest()); }

}  // namespace
