// SPDX-License-Identifier: Apache-2.0
// tests/unit/number/bits_test.cpp: mx/number/bits.h.
#include <cmath>
#include <limits>

#include "catch.h"
#include "mx/number/bits.h"

namespace {

TEST_CASE("bit_width_counts_up_to_the_highest_set_bit") {
  CHECK(mx::bit_width(0) == 0);
  for (int top = 0; top < 64; ++top) {
    const std::uint64_t power = std::uint64_t{1} << top;
    CHECK(mx::bit_width(power) == top + 1);
    CHECK(mx::bit_width(power | (power - 1)) == top + 1);
  }
}

TEST_CASE("a_shift_in_either_direction_cuts_what_does_not_fit") {
  constexpr std::uint64_t largest = (std::uint64_t{1} << 63) - 1;
  CHECK(mx::shifted_by(5, 0) == 5);
  CHECK(mx::shifted_by(5, 2) == 20);
  CHECK(mx::shifted_by(1, 63) == std::uint64_t{1} << 63);
  CHECK(mx::shifted_by(7, -1) == 3);
  CHECK(mx::shifted_by(largest, -1) == largest / 2);
  CHECK(mx::shifted_by(largest, -62) == 1);
  for (const int places : {-63, -64, -65, -127, -128, -1000}) {
    CHECK(mx::shifted_by(largest, places) == 0);
  }
}

TEST_CASE("a_sticky_shift_ors_every_lost_bit_into_the_lowest") {
  for (std::uint64_t value = 0; value < 4096; ++value) {
    for (int distance = 0; distance < 16; ++distance) {
      const std::uint64_t lost = value % (std::uint64_t{1} << distance);
      CHECK(mx::shift_right_sticky(value, distance) == ((value >> distance) | (lost != 0 ? 1 : 0)));
    }
  }
}

TEST_CASE("a_sticky_shift_by_the_whole_width_or_more_leaves_the_sticky_bit_alone") {
  constexpr std::uint64_t top = std::uint64_t{1} << 63;
  for (const int distance : {64, 65, 1000, std::numeric_limits<int>::max()}) {
    CHECK(mx::shift_right_sticky(0, distance) == 0);
    CHECK(mx::shift_right_sticky(1, distance) == 1);
    CHECK(mx::shift_right_sticky(top, distance) == 1);
  }
  CHECK(mx::shift_right_sticky(top, 63) == 1);
  CHECK(mx::shift_right_sticky(top + 1, 63) == 1);
  CHECK(mx::shift_right_sticky(top + 1, 62) == 3);
}

TEST_CASE("bit_patterns_survive_the_way_through_float_and_back") {
  for (const std::uint32_t bits : {0U, 1U, 0x80000000U, 0x7F800000U, 0xFFC12345U, 0x3F800001U}) {
    CHECK(mx::bits_of(mx::float_of(bits)) == bits);
  }
}

TEST_CASE("a_fused_multiply_add_rounds_once") {
  constexpr float a = 1.0F + 0x1p-12F;
  // a * a = 1 + 2^-11 + 2^-24: the last bit is lost if the product is rounded first.
  CHECK(mx::fused_multiply_add(a, a, -(1.0F + 0x1p-11F)) == 0x1p-24F);
  CHECK(mx::bits_of(mx::fused_multiply_add(-1.0F, 0.0F, -0.0F)) == 0x80000000U);
  CHECK(mx::bits_of(mx::fused_multiply_add(-1.0F, 0.0F, 0.0F)) == 0U);
}

}  // namespace
