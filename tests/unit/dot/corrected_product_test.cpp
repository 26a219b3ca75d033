// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/corrected_product_test.cpp: mx/dot/corrected_product.h.
#include <cmath>
#include <random>
#include <vector>

#include "catch.h"
#include "mx/dot/corrected_product.h"

namespace {

using floats = std::vector<float>;

floats random_floats(std::size_t count, std::mt19937& random) {
  floats x(count);
  for (float& value : x) {
    value = mx::float_of((random() & 0x807FFFFFU) | (118U + random() % 12U) << 23);
  }
  return x;
}

bool same(float a, float b) { return mx::bits_of(a) == mx::bits_of(b); }

TEST_CASE("a_dot_product_is_a_chain_of_fused_multiply_adds_from_its_start") {
  std::mt19937 random(1);
  for (int k = 0; k < 60; ++k) {
    const auto count = static_cast<std::size_t>(k);
    const floats a = random_floats(count, random), b = random_floats(count, random);
    float sum = 0.7F;
    for (std::size_t i = 0; i < count; ++i) sum = std::fma(a[i], b[i], sum);
    REQUIRE(same(mx::dot_fma(a.data(), b.data(), k, 0.7F), sum));
  }
}

TEST_CASE("every_macro_block_has_an_accumulator_and_an_epilogue_of_its_own") {
  std::mt19937 random(2);
  for (const int span : {1, 16, 32, 100}) {
    for (const int k : {0, 1, 31, 32, 33, 100, 128}) {
      const auto count = static_cast<std::size_t>(k);
      const floats a = random_floats(count, random), b = random_floats(count, random);
      const floats ra = random_floats(count + 1, random), rb = random_floats(count + 1, random);
      float sum = 0.0F;
      for (int first = 0; first < k; first += span) {
        float product = 0.0F;
        for (int i = first; i < std::min(first + span, k); ++i) {
          const auto at = static_cast<std::size_t>(i);
          product = std::fma(a[at], b[at], product);
        }
        const auto block = static_cast<std::size_t>(first / span);
        const float scaled = product * ra[block];
        sum = std::fma(scaled, rb[block], sum);
      }
      REQUIRE(same(
          mx::dot_with_macro_epilogue({a.data(), ra.data()}, {b.data(), rb.data()}, k, span), sum));
    }
  }
}

TEST_CASE("the_second_pass_over_a_span_follows_the_first_in_the_same_accumulator") {
  std::mt19937 random(3);
  for (const int span : {1, 16, 32, 100}) {
    for (const int k : {0, 1, 31, 32, 33, 100, 128}) {
      for (const float alpha : {0.5F, 0.3F, 1.0F}) {
        const auto count = static_cast<std::size_t>(k);
        const floats a = random_floats(count, random), b = random_floats(count, random);
        const floats rest = random_floats(count, random);
        float sum = 0.0F;
        for (std::size_t i = 0; i < 2 * count; ++i) {
          // Step i of span s: its first pass, then its second.
          const std::size_t width = static_cast<std::size_t>(span);
          const std::size_t first = i / (2 * width) * width;
          const std::size_t length = std::min(width, count - first);
          const std::size_t place = i - 2 * first;
          const std::size_t at = first + place % length;
          const float scaled = alpha * rest[at];
          sum = std::fma(place < length ? a[at] : scaled, b[at], sum);
        }
        REQUIRE(
            same(mx::dot_with_second_pass(a.data(), rest.data(), alpha, b.data(), k, span), sum));
      }
    }
  }
}

TEST_CASE("the_reciprocal_of_a_factor_is_rounded_once") {
  for (const int bits : {1, 3, 8, 16}) {
    for (std::uint32_t fraction = 0; fraction < 1U << bits; fraction += 1 + (fraction >> 9)) {
      const float factor = 1 + std::ldexp(static_cast<float>(fraction), -bits);
      REQUIRE(same(mx::reciprocal_of_factor(fraction, bits), 1 / factor));
    }
  }
}

static_assert(mx::reciprocal_of_factor(1, 1) == 1 / 1.5F);

}  // namespace
