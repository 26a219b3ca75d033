// SPDX-License-Identifier: Apache-2.0
// tests/unit/number/log2_bands_test.cpp: mx/number/log2_bands.h. The widths were observed by
// running log2f.
#include "mx/number/log2_bands.h"
#include "catch.h"

namespace {

struct seen_band {
  int k;
  std::uint32_t below, above;
};

constexpr seen_band seen[] = {
    {128, 44, 0},   {127, 44, 22}, {65, 44, 22},  {64, 22, 22},   {33, 22, 11},   {32, 11, 11},
    {17, 11, 5},    {16, 5, 5},    {9, 5, 2},     {8, 2, 2},      {5, 2, 1},      {4, 1, 1},
    {3, 1, 0},      {2, 0, 0},     {1, 0, 0},     {0, 0, 0},      {-1, 0, 0},     {-2, 1, 0},
    {-3, 1, 0},     {-4, 2, 0},    {-5, 2, 1},    {-8, 5, 1},     {-9, 5, 2},     {-16, 11, 2},
    {-32, 22, 5},   {-64, 44, 11}, {-65, 44, 22}, {-100, 44, 22}, {-125, 44, 22}, {-126, 22, 22},
    {-127, 11, 11}, {-128, 11, 5}, {-129, 5, 5},  {-130, 2, 2},   {-131, 1, 1},   {-132, 0, 0}};

TEST_CASE("bands_have_the_widths_that_were_seen") {
  for (const seen_band& band : seen) {
    CAPTURE(band.k);
    REQUIRE(mx::numbers_below(band.k) == band.below);
    if (band.k < 128) REQUIRE(mx::numbers_above(band.k) == band.above);
  }
}

TEST_CASE("floor_is_off_exactly_in_the_band_below_a_power_of_two") {
  for (const seen_band& band : seen) {
    CAPTURE(band.k);
    const std::uint32_t power = mx::pattern_of_power(band.k);
    for (std::uint32_t distance = 1; distance <= 100; ++distance) {
      const int logarithm = mx::floor_of_rounded_log2(mx::float_of(power - distance));
      REQUIRE(logarithm == (distance <= band.below ? band.k : band.k - 1));
    }
    if (band.k < 128) REQUIRE(mx::floor_of_rounded_log2(mx::float_of(power)) == band.k);
  }
}

TEST_CASE("ceiling_is_off_exactly_in_the_band_above_a_power_of_two") {
  for (const seen_band& band : seen) {
    if (band.k == 128) continue;
    CAPTURE(band.k);
    const std::uint32_t power = mx::pattern_of_power(band.k);
    REQUIRE(mx::ceil_of_rounded_log2(mx::float_of(power)) == band.k);
    for (std::uint32_t distance = 1; distance <= 100; ++distance) {
      const int logarithm = mx::ceil_of_rounded_log2(mx::float_of(power + distance));
      REQUIRE(logarithm == (distance <= band.above ? band.k : band.k + 1));
    }
  }
}

TEST_CASE("floor_is_off_for_3746_numbers_from_1_on") {
  std::uint32_t total = 0;
  for (int k = 1; k <= 128; ++k) total += mx::numbers_below(k);
  REQUIRE(total == 3746);
}

TEST_CASE("the_smallest_subnormals_have_their_own_logarithms") {
  REQUIRE(mx::floor_of_rounded_log2(0x1p-149F) == -149);
  REQUIRE(mx::ceil_of_rounded_log2(0x1p-149F) == -149);
  REQUIRE(mx::floor_of_rounded_log2(0x1.8p-148F) == -148);
  REQUIRE(mx::ceil_of_rounded_log2(0x1.8p-148F) == -147);
}

}  // namespace
