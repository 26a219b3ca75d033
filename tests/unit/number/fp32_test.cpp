// SPDX-License-Identifier: Apache-2.0
// tests/unit/number/fp32_test.cpp: mx/number/fp32.h against the machine's own operations.
#include <cmath>
#include <random>
#include <vector>

#include "catch.h"
#include "mx/number/fp32.h"

namespace {

std::uint32_t canonical(float x) { return std::isnan(x) ? mx::nan_bits : mx::bits_of(x); }

void check_pair(float a, float b) {
  INFO("a " << mx::bits_of(a) << ", b " << mx::bits_of(b));
  REQUIRE(mx::bits_of(mx::fp32::multiply(a, b)) == canonical(a * b));
  REQUIRE(mx::bits_of(mx::fp32::divide(a, b)) == canonical(a / b));
  REQUIRE(mx::bits_of(mx::fp32::add(a, b)) == canonical(a + b));
  REQUIRE(mx::bits_of(mx::fp32::subtract(a, b)) == canonical(a - b));
}

std::vector<float> odd_numbers() {
  std::vector<float> list;
  for (const std::uint32_t bits :
       {0x00000000U, 0x00000001U, 0x00000002U, 0x007FFFFFU, 0x00800000U, 0x00800001U,
        0x33800000U, 0x33800001U, 0x3F7FFFFFU, 0x3F800000U, 0x3F800001U, 0x40400000U,
        0x4B800000U, 0x5F800000U, 0x7E800000U, 0x7F000000U, 0x7F7FFFFEU, 0x7F7FFFFFU,
        0x7F800000U, 0x7F800001U, 0x7FC12345U}) {
    list.push_back(mx::float_of(bits));
    list.push_back(mx::float_of(bits | 0x80000000U));
  }
  return list;
}

TEST_CASE("operations_on_odd_numbers_are_the_machine_s") {
  for (const float a : odd_numbers()) {
    for (const float b : odd_numbers()) check_pair(a, b);
  }
}

TEST_CASE("operations_on_random_patterns_are_the_machine_s") {
  std::mt19937 random(1);
  for (int i = 0; i < 200000; ++i) {
    const auto a = static_cast<std::uint32_t>(random());
    auto b = static_cast<std::uint32_t>(random());
    // Sums need exponents of close magnitude, and cancellation.
    if (i % 3 != 0) b = (b & 0x807FFFFFU) | ((a & 0x7F800000U) + ((b >> 23) % 57 << 23));
    if (i % 5 == 0) b = (a ^ 0x80000000U) + (b & 3U);
    if (i % 7 == 0) b = (b & 0x80FFFFFFU) >> (i % 20);
    check_pair(mx::float_of(a), mx::float_of(b));
    check_pair(mx::float_of(b), mx::float_of(a));
  }
}

TEST_CASE("exact_results_and_ties_at_the_ends_of_the_range_are_the_machine_s") {
  for (int e = -149; e < 128; e += 3) {
    const float power = std::ldexp(1.0F, e);
    for (const float fraction : {1.0F, 0x1.000002p0F, 0x1.fffffep0F, 0x1.8p0F}) {
      check_pair(power * fraction, 0x1p-1F);
      check_pair(power * fraction, 0x1.8p-24F);
      check_pair(power, power * 0x1p-24F);
      check_pair(power * fraction, -power);
    }
  }
}

TEST_CASE("a_flush_takes_subnormals_of_either_sign_and_nothing_else") {
  for (const float x : odd_numbers()) {
    const bool subnormal = std::fpclassify(x) == FP_SUBNORMAL;
    const std::uint32_t kept = mx::bits_of(x);
    CHECK(mx::bits_of(mx::fp32::flushed(x)) == (subnormal ? kept & 0x80000000U : kept));
  }
}

static_assert(mx::bits_of(mx::fp32::multiply(0.0F, -1.0F)) == 0x80000000U);
static_assert(mx::bits_of(mx::fp32::add(-0.0F, -0.0F)) == 0x80000000U);
static_assert(mx::bits_of(mx::fp32::divide(0.0F, 0.0F)) == 0x7FC00000U);

}  // namespace
