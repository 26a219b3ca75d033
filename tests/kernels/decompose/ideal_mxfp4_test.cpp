// SPDX-License-Identifier: Apache-2.0
// tests/kernels/decompose/ideal_mxfp4_test.cpp: Q and Q* in binary32 against the core, around every
// tie.
#include "decompose/ideal_mxfp4.h"

#include "catch.h"
#include "mx/block/components.h"
#include "mx/number/philox.h"

using namespace mx;
using namespace mx::kernels;

namespace {

constexpr int twenty_fourths[] = {1, 3, 5, 7, 10, 14, 20};  // of amax: the ties of Q*

/// |x| as taken from a binary32 number.
float cut_of(float x) { return float_of(bits_of(x) & 0xFFFF0000); }

float ideal(float x, float amax, const wide_factors& factors) {
  const ideal_sums sums = ideal_sums_of(x, cut_of(x), factors);
  const float lower = sums.lower - sums.anchor, upper = sums.upper - sums.anchor;
  if (lower == upper) return lower;
  return decided_ideal(x, static_cast<double>(amax) / -2, lower, upper);
}
float ideal(float x, float, const narrow_factors& factors) { return narrow_ideal(x, factors); }

/// The element of the core, for any reciprocal the device computes.
template <class Factors>
void expect_the_core(float x, float amax) {
  const float expected = to_binary32(quantize_element_ideally(unpack(x), unpack(amax)).value());
  const std::uint32_t reciprocal = bits_of(1 / amax);
  for (const std::uint32_t found : {reciprocal - 1, reciprocal, reciprocal + 1}) {
    if (ideal(x, amax, Factors(float_of(found))) != expected) {
      FAIL("x " << bits_of(x) << ", amax " << bits_of(amax) << ": not " << expected);
    }
  }
}

/// |x| at a fraction of amax, and the numbers around it.
void expect_the_core_around(double x, float amax) {
  const std::uint32_t near = bits_of(static_cast<float>(x));
  for (std::uint32_t bits = near - 2; bits <= near + 2; ++bits) {
    if (bits <= bits_of(amax)) expect_the_core<wide_factors>(float_of(bits), amax);
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
    expect_the_core<wide_factors>(share * amax, amax);
  }
}

TEST_CASE("numbers_whose_anchor_is_close_to_the_next_binade_take_the_ideal_element_of_the_core") {
  // For a number cut to 8 bits, 6 |x| / amax is close to 1, 2 or 4 from both sides.
  for (std::uint32_t cut = 0x3F800000; cut < 0x40000000; cut += 0x10000) {
    for (const float power : {1.F, 2.F, 4.F}) {
      const std::uint32_t near = bits_of(6 * float_of(cut) / power);
      for (std::uint32_t amax = near - 8; amax <= near + 8; ++amax) {
        for (const std::uint32_t below : {0U, 1U, 0x8000U, 0xFFFFU}) {
          expect_the_core<wide_factors>(float_of(cut | below), float_of(amax));
        }
      }
    }
  }
}

TEST_CASE("all_numbers_of_11_bits_take_the_ideal_element_of_the_core") {
  // amax in one binade, |x| in all binades down to 1/64 of it: a tie is not below 1/24.
  for (std::uint32_t fraction = 0; fraction < 1024; ++fraction) {
    const float amax = float_of((127 << 10 | fraction) << 13);
    for (std::uint32_t x = 121 << 10; x <= (127 << 10 | fraction); ++x) {
      expect_the_core<narrow_factors>(float_of(x << 13), amax);
    }
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
        expect_the_core<wide_factors>(float_of(tiny), amax);
        expect_the_core<narrow_factors>(float_of(tiny & 0xFFFFE000), float_of(base));
      }
    }
  }
}

TEST_CASE("the_ideal_element_of_a_block_of_zeros_is_zero") {
  const ideal_sums sums = ideal_sums_of(0, 0, {});
  CHECK(sums.lower - sums.anchor == 0);
  CHECK(sums.lower == sums.upper);
  CHECK(narrow_ideal(0, {}) == 0);
}

TEST_CASE("every_bfloat16_number_and_its_neighbours_take_the_element_of_the_core") {
  for (const std::uint32_t code : {24U, 126U, 127U, 225U}) {
    const float scale = float_of(code << 23);
    for (std::uint32_t upper = 0; upper < (code + 4) << 7; ++upper) {
      for (const std::uint32_t below : {0U, 1U, 0x7FFFU, 0x8000U, 0xE000U, 0xFFFFU}) {
        const float x = float_of(upper << 16 | below);
        const e8m0 s{static_cast<std::uint8_t>(code)};
        const float expected = dequantize(quantize_element(unpack(x), s), s);
        const auto found = [x, scale](float cut) {
          return smaller_number(nearest_element(x, cut, scale), 6 * scale);
        };
        const bool has_11_bits = (below & 0x1FFF) == 0;
        if (found(cut_of(x)) != expected || (has_11_bits && found(x) != expected)) {
          FAIL("x " << x << ", scale " << code);
        }
      }
    }
  }
}
