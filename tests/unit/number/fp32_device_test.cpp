// SPDX-License-Identifier: Apache-2.0
// tests/unit/number/fp32_device_test.cpp: mx/number/fp32_device.h against this machine's
// arithmetic.
#include <cmath>
#include <limits>
#include <random>

#include "catch.h"
#include "mx/number/fp32_device.h"

namespace {

using mx::bits_of;
using mx::float_of;

void check_fused(float a, float b, float c) {
  const float ours = mx::fp32::fused_multiply_add(a, b, c), theirs = std::fma(a, b, c);
  INFO(std::hex << bits_of(a) << ' ' << bits_of(b) << ' ' << bits_of(c));
  if (std::isnan(theirs)) {
    REQUIRE(mx::fp32::is_nan(ours));
  } else {
    REQUIRE(bits_of(ours) == bits_of(theirs));
  }
}

TEST_CASE("a_fused_multiply_add_rounds_once_as_the_machine_does") {
  std::mt19937_64 random(7);
  const auto word = [&random] { return static_cast<std::uint32_t>(random()); };
  for (int i = 0; i < 200000; ++i) {
    const float a = float_of(word()), b = float_of(word());
    check_fused(a, b, float_of(word()));
    // Addends near the product: cancellation, and products just beside a tie.
    const float near = float_of(bits_of(a * b) ^ (word() % 8));
    check_fused(a, b, -near);
    check_fused(a, b, near * std::ldexp(1.0F, static_cast<int>(word() % 60) - 30));
  }
}

TEST_CASE("a_fused_multiply_add_of_special_values_is_what_the_machine_says") {
  const float infinity = std::numeric_limits<float>::infinity();
  const float values[] = {0.0F,     -0.0F,     1.0F,          -2.0F,    0x1p-149F,
                          infinity, -infinity, mx::fp32::nan, 0x1p127F, -0x1.fffffep127F};
  for (const float a : values) {
    for (const float b : values) {
      for (const float c : values) check_fused(a, b, c);
    }
  }
}

TEST_CASE("the_minimum_takes_the_limit_for_a_nan_unless_it_is_told_to_keep_it") {
  CHECK(mx::fp32::at_most(1.0F, 448.0F) == 1.0F);
  CHECK(mx::fp32::at_most(449.0F, 448.0F) == 448.0F);
  CHECK(mx::fp32::at_most(mx::fp32::nan, 448.0F) == 448.0F);
  CHECK(mx::fp32::is_nan(mx::fp32::at_most_unless_nan(mx::fp32::nan, 448.0F)));
  CHECK(mx::fp32::at_most_unless_nan(mx::fp32::infinity(false), 448.0F) == 448.0F);
}

TEST_CASE("a_flushed_reciprocal_takes_subnormals_for_zero_on_both_sides") {
  using enum mx::fp32::reciprocal_subnormals;
  CHECK(mx::fp32::reciprocal(0x1p-127F, kept) == 0x1p127F);
  CHECK(mx::fp32::reciprocal(0x1p-127F, flushed) == mx::fp32::infinity(false));
  CHECK(mx::fp32::reciprocal(0x1p127F, kept) == 0x1p-127F);
  CHECK(bits_of(mx::fp32::reciprocal(0x1p127F, flushed)) == 0);
  CHECK(mx::fp32::reciprocal(6.0F, flushed) == 0x1.555556p-3F);
}

}  // namespace
