// SPDX-License-Identifier: Apache-2.0
// tests/kernels/quantize/random_conversion_test.cpp: codes by the conversion with random bits, as
// its manual defines it, against the core and against the codes of devices without it.
#include "quantize/random_conversion.h"

#include "catch.h"
#include "mx/block/block_quantizer.h"

using namespace mx;
using namespace mx::kernels;

namespace {

std::uint32_t core_code(float x, std::uint32_t scale, int bits, std::uint32_t byte) {
  return element_code(formats::e2m1, unpack(x),
                      ratio_of(block_formats::mxfp4, scale, no_tensor_scale),
                      rounder(bits, byte >> (8 - bits)));
}

/// x and -y with a byte each, whose upper `bits` are random, under either order of the halves.
void expect_the_core(float x, float y, std::uint32_t scale, int bits, std::uint32_t bytes) {
  const float reciprocal = float_of((254 - scale) << 23);
  const std::uint32_t kept = random_dealing_of({0, bits}).kept;
  const std::uint32_t expected =
      core_code(x, scale, bits, bytes & 0xFF) | core_code(-y, scale, bits, bytes >> 16 & 0xFF) << 4;
  for (const half_order order : {half_order::upper_first, half_order::lower_first}) {
    const documented_conversion convert{order};
    const std::uint32_t found = stochastic_byte_by(convert, x, -y, reciprocal, bytes, kept);
    if (found != expected) {
      FAIL("x " << bits_of(x) << ", y " << bits_of(y) << ", scale " << scale << ", bits " << bits
                << ", bytes " << bytes << ": " << found << " for " << expected);
    }
  }
  CHECK(stochastic_byte_of(x, -y, reciprocal, bytes, kept) == expected);
}

}  // namespace

TEST_CASE("the_conversion_gives_the_core_s_code_at_every_place_with_every_random_byte") {
  // All x / scale in [0, 12) in steps of 1/512, at the step and just below it.
  for (std::uint32_t step = 1; step < 12 * 512; ++step) {
    const std::uint32_t here = bits_of(static_cast<float>(step) / 512);
    for (std::uint32_t byte = 0; byte < 256; byte += step % 9 == 0 ? 1 : 29) {
      expect_the_core(float_of(here), float_of(here - 1), 127, 8, byte | (255 - byte) << 16);
    }
  }
}

TEST_CASE("the_conversion_takes_fewer_random_bits_as_the_upper_ones") {
  for (int bits = 1; bits <= 8; ++bits) {
    for (std::uint32_t step = 0; step < 12 * 512; step += 13) {
      for (std::uint32_t byte = 0; byte < 256; byte += 7) {
        const float x = static_cast<float>(step) / 512;
        expect_the_core(x, x + 0.0625F < 12 ? x + 0.0625F : x, 127, bits, byte | byte << 16);
      }
    }
  }
}

TEST_CASE("the_conversion_serves_every_scale_and_exponent") {
  for (std::uint32_t scale = 0; scale <= 253; ++scale) {
    for (std::uint32_t field = 0; field <= scale + 3 && field < 255; ++field) {
      for (const std::uint32_t fraction : {0U, 1U, 0x3FFFFFU, 0x555555U}) {
        const float x = float_of(field << 23 | fraction);
        for (const std::uint32_t byte : {0U, 0x80U, 0xFFU}) {
          expect_the_core(x, x, scale, 8, byte | (byte ^ 0xFF) << 16);
        }
      }
    }
  }
}

TEST_CASE("the_documented_conversion_has_its_operands_and_bytes_in_the_manual_s_order") {
  // Halfway between 0 and 0.5: a byte of 128 and more rounds up.
  const conversion_operands x{0.25F, -0.25F, 0.25F, 6.5F};
  CHECK(documented_conversion{half_order::upper_first}(x, 0x80000000) == 0x1807);
  CHECK(documented_conversion{half_order::upper_first}(x, 0x00008000) == 0x0907);
  CHECK(documented_conversion{half_order::upper_first}(x, 0x00800000) == 0x0817);
  CHECK(documented_conversion{half_order::lower_first}(x, 0x80000000) == 0x0907);
  CHECK(documented_conversion{half_order::lower_first}(x, 0x00000080) == 0x0817);
  CHECK(documented_conversion{half_order::lower_first}(x, 0x007F7F7F) == 0x0807);
  const conversion_operands special{float_of(0xFFC00000), float_of(0xFF800000), 1e9F, -0.0F};
  CHECK(documented_conversion{}(special, 0xFFFFFFFF) == 0x7F78);
}
