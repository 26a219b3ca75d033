// SPDX-License-Identifier: Apache-2.0
// tests/kernels/quantize/nvfp4_test.cpp: scales and elements of NVFP4 by comparison with ties,
// against the core, around every tie.
#include "quantize/nearest_nvfp4.h"

#include "catch.h"
#include "mx/number/philox.h"

using namespace mx;
using namespace mx::kernels;

namespace {

/// Plain tensor scales of any fraction, some at the ends of the range.
float tensor_scale(std::uint32_t i) {
  const std::uint32_t word = philox(12, {{i, 0, 0, 0}}).word[0];
  if (i % 8 == 0) return 0x1p-100F;
  if (i % 8 == 1) return 0x1p100F;
  if (i % 8 == 2) return float_of((100 + word % 60) << 23);
  if (i % 8 == 3) return float_of((100 + word % 60) << 23 | 0x400000);
  return float_of((27 + (word >> 24) * 200 / 256) << 23 | (word & 0x7FFFFF));
}

void expect_scale(float amax, float tensor) {
  if (amax == 0) return;
  const std::uint32_t expected =
      scale_code_of(block_formats::nvfp4, scale_rule::ideal, unpack(amax), unpack(tensor));
  const std::uint32_t found = nearest_ue4m3(amax, tensor);
  if (found != expected) {
    FAIL("amax " << bits_of(amax) << ", tensor " << bits_of(tensor) << ": " << found << " for "
                 << expected);
  }
}

void expect_code(float x, std::uint32_t scale, float tensor, const element_ties& ties) {
  const std::uint32_t expected =
      element_code(formats::e2m1, unpack(x), ratio_of(block_formats::nvfp4, scale, unpack(tensor)),
                   rounding::ties_to_even);
  const std::uint32_t found = code_among(ties, bits_of(x));
  if (found != expected) {
    FAIL("x " << bits_of(x) << ", scale " << scale << ", tensor " << bits_of(tensor) << ": "
              << found << " for " << expected);
  }
}

/// Calls a function with the binary32 numbers around a positive one.
template <class Function>
void around(double number, const Function& function) {
  const auto near = static_cast<float>(number);
  if (!(near <= 0x1.fffffcp127F)) return;
  const std::uint32_t bits = bits_of(near);
  for (std::uint32_t b = bits < 2 ? 0 : bits - 2; b <= bits + 2; ++b) function(float_of(b));
}

}  // namespace

TEST_CASE("codes_of_scales_have_their_numbers_and_ties") {
  for (std::uint32_t code = 0; code < 0x7F; ++code) {
    CHECK(value_of_ue4m3(code) == to_binary32(decode<formats::ue4m3>(code)));
    if (code == 0x7E) break;
    const float next = to_binary32(decode<formats::ue4m3>(code + 1));
    CHECK(tie_above_ue4m3(code) == (value_of_ue4m3(code) + next) / 2);
  }
}

TEST_CASE("amaxes_around_every_tie_take_the_scale_of_the_core") {
  for (std::uint32_t i = 0; i < 400; ++i) {
    const float tensor = tensor_scale(i);
    for (std::uint32_t code = 0; code <= 0x7E; ++code) {
      const double six = 6 * static_cast<double>(tensor);
      around(static_cast<double>(value_of_ue4m3(code)) * six,
             [&](float amax) { expect_scale(amax, tensor); });
      around(static_cast<double>(tie_above_ue4m3(code)) * six,
             [&](float amax) { expect_scale(amax, tensor); });
    }
    for (const std::uint32_t bits : {1U, 0x7FFFFFU, 0x800000U, 0x7F7FFFFFU}) {
      expect_scale(float_of(bits), tensor);
    }
  }
}

TEST_CASE("numbers_around_every_tie_take_the_element_of_the_core") {
  for (std::uint32_t i = 0; i < 64; ++i) {
    const float tensor = tensor_scale(i);
    for (std::uint32_t scale = 1; scale <= 0x7E; ++scale) {
      const element_ties ties = element_ties_of(scale, tensor);
      const double unit = static_cast<double>(value_of_ue4m3(scale)) * static_cast<double>(tensor);
      for (const double tie : {.25, .75, 1.25, 1.75, 2.5, 3.5, 5., .5, 6.}) {
        around(tie * unit, [&](float x) { expect_code(x, scale, tensor, ties); });
      }
      for (const std::uint32_t bits : {0U, 1U, 0x7F7FFFFFU}) {
        expect_code(float_of(bits), scale, tensor, ties);
      }
    }
  }
}

TEST_CASE("under_a_scale_of_zero_every_element_is_zero") {
  const element_ties ties = element_ties_of(0, 1.0F);
  for (const std::uint32_t bits : {0U, 1U, 0x3F800000U, 0x7F7FFFFFU}) {
    CHECK(code_among(ties, bits) == 0);
  }
}

TEST_CASE("tensor_scales_close_to_the_ends_of_the_range_are_left_to_the_core") {
  CHECK(is_plain_tensor_scale(0x1p-100F));
  CHECK(is_plain_tensor_scale(0x1p100F));
  for (const float scale : {0.0F, -1.0F, 0x1.fffffep-101F, 0x1.000002p100F, float_of(nan_bits)}) {
    CHECK_FALSE(is_plain_tensor_scale(scale));
  }
}
