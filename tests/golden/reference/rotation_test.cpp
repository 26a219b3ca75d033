// SPDX-License-Identifier: Apache-2.0
// tests/golden/reference/rotation_test.cpp: rotations of single elements, and rounded sums.
#include "golden/reference/rotation.h"

#include <bitset>

#include "catch.h"
#include "golden/reference/binary32.h"

namespace {

using golden::rotated;
using golden::rotation;
using golden::rotation_signs;

std::vector<float> unit(std::size_t size, std::size_t at) {
  std::vector<float> x(size, 0.0F);
  x[at] = 1.0F;
  return x;
}

TEST_CASE("reciprocals_of_roots_are_the_nearest_numbers") {
  CHECK(golden::reciprocal_of_root(16) == 0.25F);
  CHECK(golden::reciprocal_of_root(64) == 0.125F);
  CHECK(golden::bits_of(golden::reciprocal_of_root(32)) == 0x3E3504F3);
  CHECK(golden::bits_of(golden::reciprocal_of_root(128)) == 0x3DB504F3);
}

TEST_CASE("one_element_becomes_a_column_of_signs") {
  for (const std::size_t size : {16, 32, 64, 128}) {
    const float factor = golden::reciprocal_of_root(size);
    for (std::size_t j = 0; j < size; ++j) {
      const std::vector<float> y = rotated(unit(size, j), {size});
      for (std::size_t i = 0; i < size; ++i) {
        const bool is_minus = std::bitset<8>(i & j).count() % 2 == 1;
        CHECK(y[i] == (is_minus ? -factor : factor));
      }
    }
  }
}

TEST_CASE("fixed_signs_repeat_every_16_and_random_ones_follow_the_seed") {
  const auto sign_of = [](std::size_t j, const rotation& by) {
    return rotated(unit(by.size, j), by)[0] < 0;
  };
  for (const std::size_t j : {3, 5, 10, 12, 14, 15, 19, 31}) {
    CHECK(sign_of(j, {32, rotation_signs::fixed}));
  }
  for (const std::size_t j : {0, 1, 2, 4, 11, 13, 16, 20}) {
    CHECK(!sign_of(j, {32, rotation_signs::fixed}));
  }
  std::size_t minus = 0, changed = 0;
  for (std::size_t j = 0; j < 128; ++j) {
    minus += sign_of(j, {128, rotation_signs::random, 5}) ? 1 : 0;
    changed += sign_of(j, {128, rotation_signs::random, 5}) !=
                       sign_of(j, {128, rotation_signs::random, 1ULL << 32 | 5})
                   ? 1
                   : 0;
  }
  CHECK((minus > 40 && minus < 88));
  CHECK(changed > 40);
}

TEST_CASE("neighbours_are_added_first_and_each_sum_is_rounded") {
  // 2^24 + 1 is 2^24 and 2^24 + 2 is there: 1 is lost beside 2^24 and kept beside 1.
  std::vector<float> x(16, 0.0F);
  x[0] = 0x1p24F, x[1] = 1.0F, x[2] = 1.0F, x[3] = 0.0F;
  CHECK(rotated(x, {16})[0] == 0x1p22F);
  x[1] = 0.0F, x[3] = 1.0F;
  CHECK(rotated(x, {16})[0] == 0x1p22F + 0.5F);
}

TEST_CASE("groups_are_rotated_each_by_itself") {
  std::vector<float> x = unit(48, 17);
  const std::vector<float> y = rotated(x, {16});
  REQUIRE(y.size() == 48);
  for (std::size_t i = 0; i < 48; ++i) CHECK((y[i] != 0) == (i / 16 == 1));
}

}  // namespace
