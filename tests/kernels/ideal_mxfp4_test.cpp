// SPDX-License-Identifier: Apache-2.0
// tests/kernels/ideal_mxfp4_test.cpp: Q and Q* in binary32 against the core, around every tie.
#include "ideal_mxfp4.h"

#include "catch.h"
#include "mx/components.h"
#include "mx/philox.h"

using namespace mx;
using namespace mx::kernels;

namespace {

constexpr int twenty_fourths[] = {1, 3, 5, 7, 10, 14, 20};  // of amax: the ties of Q*

float ideal(float x, float amax) {
  return ideal_element(x, intervals_over(amax), ideal_ties_of(static_cast<double>(amax)));
}

void expect_the_core(float x, float amax) {
  const float expected = to_binary32(quantize_element_ideally(unpack(x), unpack(amax)).value());
  const float found = ideal(x, amax);
  if (found != expected) {
    FAIL("x " << bits_of(x) << ", amax " << bits_of(amax) << ": " << found << " for " << expected);
  }
}

/// |x| at a share of amax, and the numbers around it.
void expect_the_core_around(double x, float amax) {
  const std::uint32_t near = bits_of(static_cast<float>(x));
  for (std::uint32_t bits = near - 2; bits <= near + 2; ++bits) {
    if (bits <= bits_of(amax)) expect_the_core(float_of(bits), amax);
  }
}

}  // namespace

TEST_CASE("numbers_around_every_tie_take_the_ideal_element_of_the_core") {
  for (std::uint32_t i = 0; i < 20000; ++i) {
    const std::uint32_t word = philox(3, {{i, 0, 0, 0}}).word[0];
    const std::uint32_t fraction = i < 4096 ? i << 11 : word & 0x7FFFFF;
    const float amax = float_of(0x3F800000 | fraction);
    for (const int tie : twenty_fourths) {
      expect_the_core_around(static_cast<double>(amax) * tie / 24, amax);
    }
  }
}

TEST_CASE("numbers_around_every_element_take_the_ideal_element_of_the_core") {
  for (std::uint32_t i = 0; i < 20000; ++i) {
    const float amax = float_of(0x3F800000 | (philox(4, {{i, 0, 0, 0}}).word[0] & 0x7FFFFF));
    for (const double element : {.5, 1., 1.5, 2., 3., 4., 6.}) {
      expect_the_core_around(static_cast<double>(amax) * element / 6, amax);
    }
    const float share = uniform_of(philox(4, {{i, 1, 0, 0}}).word[0]);
    expect_the_core(share * amax, amax);
  }
}

TEST_CASE("the_ideal_element_is_the_same_at_both_ends_of_the_plain_range") {
  for (const std::uint32_t fraction : {0U, 1U, 0x400000U, 0x7FFFFFU, 0x2AAAABU}) {
    for (const std::uint32_t base : {least_plain_amax, beyond_plain_amax - 0x800000}) {
      const float amax = float_of(base | fraction);
      for (const int tie : twenty_fourths) {
        expect_the_core_around(static_cast<double>(amax) * tie / 24, amax);
      }
      for (const std::uint32_t tiny : {0U, 1U, 0x7FFFFFU, 0x800000U}) {
        expect_the_core(float_of(tiny), amax);
      }
    }
  }
}

TEST_CASE("every_bfloat16_number_and_its_neighbours_take_the_element_of_the_core") {
  for (const std::uint32_t code : {24U, 126U, 127U, 225U}) {
    const float scale = float_of(code << 23);
    for (std::uint32_t upper = 0; upper < (code + 4) << 7; ++upper) {
      for (const std::uint32_t cut : {0U, 1U, 0x7FFFU, 0x8000U, 0xFFFFU}) {
        const float x = float_of(upper << 16 | cut);
        const e8m0 s{static_cast<std::uint8_t>(code)};
        const float expected = 3 * dequantize(quantize_element(unpack(x), s), s);
        if (tripled_element(x, scale, 6 * scale) != expected) FAIL("x " << x << ", scale " << code);
      }
    }
  }
}
