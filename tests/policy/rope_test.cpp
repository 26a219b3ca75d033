// SPDX-License-Identifier: Apache-2.0
// tests/policy/rope_test.cpp: sim/policy/rope.h.
#include "sim/policy/rope.h"

#include <cmath>

#include "catch.h"
#include "mx/number/bits.h"

namespace {

TEST_CASE("cosines_and_sines_are_the_nearest_binary32_numbers") {
  constexpr int positions = 64, width = 32;
  constexpr double theta = 10000;
  const sim::rope_table rope(positions, width, theta);
  for (int t = 0; t < positions; ++t) {
    for (int j = 0; j < width / 2; ++j) {
      // 64 bits of significand: enough to round to 24, unless a value lies very close to a
      // midpoint.
      const long double angle = t * std::pow(static_cast<long double>(theta), -2.0L * j / width);
      REQUIRE(mx::bits_of(rope.cosine(t)[j]) == mx::bits_of(static_cast<float>(std::cos(angle))));
      REQUIRE(mx::bits_of(rope.sine(t)[j]) == mx::bits_of(static_cast<float>(std::sin(angle))));
    }
  }
}

TEST_CASE("the_first_position_is_not_rotated_and_the_first_pair_turns_by_one_a_position") {
  const sim::rope_table rope(3, 8, 100);
  for (int j = 0; j < 4; ++j) {
    CHECK(rope.cosine(0)[j] == 1.0F);
    CHECK(rope.sine(0)[j] == 0.0F);
  }
  CHECK(rope.cosine(2)[0] == static_cast<float>(std::cos(2.0)));
  CHECK(rope.sine(1)[2] == static_cast<float>(std::sin(0.1)));  // 100^(-4/8)
}

}  // namespace
