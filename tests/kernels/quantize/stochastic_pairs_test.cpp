// SPDX-License-Identifier: Apache-2.0
// tests/kernels/quantize/stochastic_pairs_test.cpp: elements rounded with random bits, two at a
// time, against the core.
#include "quantize/stochastic_pairs.h"

#include "catch.h"
#include "mx/block/block_quantizer.h"

using namespace mx;
using namespace mx::kernels;

namespace {

/// Code of an element under the scale of a code, by the core.
std::uint32_t expected_code(float x, std::uint32_t scale, int bits, std::uint32_t random) {
  return element_code(formats::e2m1, unpack(x),
                      ratio_of(block_formats::mxfp4, scale, no_tensor_scale),
                      rounder(bits, random));
}

float reciprocal_of(std::uint32_t scale) { return float_of((254 - scale) << 23); }

/// The codes of x and -x with a byte whose upper `bits` are random.
void expect_the_core(float x, std::uint32_t scale, int bits, std::uint32_t byte) {
  const random_dealing dealing = random_dealing_of({0, bits});
  const std::uint32_t codes =
      stochastic_codes_of(x, -x, reciprocal_of(scale), pairs::both(byte), dealing.kept);
  const std::uint32_t one = expected_code(x, scale, bits, byte >> (8 - bits));
  const std::uint32_t other = expected_code(-x, scale, bits, byte >> (8 - bits));
  if (codes != (one | other << 16)) {
    FAIL("x " << bits_of(x) << ", scale " << scale << ", bits " << bits << ", byte " << byte << ": "
              << codes << " for " << one << " and " << other);
  }
}

}  // namespace

TEST_CASE("every_place_among_the_codes_takes_the_code_of_the_core_with_every_random_byte") {
  // All x / scale in [0, 12) in steps of 1/512, at the step and just below it.
  for (std::uint32_t step = 0; step < 12 * 512; ++step) {
    const std::uint32_t here = bits_of(static_cast<float>(step) / 512);
    for (std::uint32_t byte = 0; byte < 256; byte += step % 5 == 0 ? 1 : 17) {
      expect_the_core(float_of(here), 127, 8, byte);
      if (step > 0) expect_the_core(float_of(here - 1), 127, 8, byte);
    }
  }
}

TEST_CASE("fewer_random_bits_are_the_upper_ones") {
  for (int bits = 1; bits <= 8; ++bits) {
    for (std::uint32_t step = 0; step < 12 * 512; step += 7) {
      for (std::uint32_t byte = 0; byte < 256; byte += 5) {
        expect_the_core(static_cast<float>(step) / 512, 127, bits, byte);
      }
    }
  }
}

TEST_CASE("every_scale_and_exponent_is_served") {
  for (std::uint32_t scale = 0; scale <= 253; ++scale) {
    for (std::uint32_t field = 0; field <= scale + 3 && field < 255; ++field) {
      for (const std::uint32_t fraction : {0U, 1U, 0x3FFFFFU, 0x400000U, 0x7FFFFFU, 0x555555U}) {
        if (field == scale + 3 && fraction >= 0x400000) continue;
        for (const std::uint32_t byte : {0U, 0x7FU, 0x80U, 0xFFU}) {
          expect_the_core(float_of(field << 23 | fraction), scale, 8, byte);
        }
      }
    }
  }
}

TEST_CASE("two_elements_and_their_bytes_are_apart") {
  CHECK(stochastic_codes_of(0.5F, -6.0F, 1.0F, 0x00FF0000, 0xFFFFFFFF) == 0x000F0001);
  CHECK(stochastic_codes_of(-0.25F, 0.25F, 1.0F, 0x007F0080, 0xFFFFFFFF) == 0x00000009);
  CHECK(permuted_bytes(0x44332211, 0x88776655, 0x7250) == 0x88336611);
}

TEST_CASE("bytes_are_dealt_out_as_the_core_has_them") {
  for (const byte_map map : {byte_map::ptx, byte_map::te_soft}) {
    const random_source from{0x0123456789ABCDEF, 8, map, 3};
    const random_dealing dealing = random_dealing_of(from);
    const std::uint32_t word = philox(from.seed, {{0, 0, 3, 0}}).word[0];
    const std::uint32_t first = permuted_bytes(word, 0, dealing.first);
    const std::uint32_t second = permuted_bytes(word, 0, dealing.second);
    CHECK(first == (random_bits_of(from, 0) | random_bits_of(from, 1) << 16));
    CHECK(second == (random_bits_of(from, 2) | random_bits_of(from, 3) << 16));
  }
}
