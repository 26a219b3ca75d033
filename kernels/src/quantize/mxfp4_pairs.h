// SPDX-License-Identifier: Apache-2.0
// kernels/src/quantize/mxfp4_pairs.h: MXFP4 blocks from pairs of bfloat16 numbers, without a
// branch, within the instruction budget of a memory-bound kernel. Equals mx::shared_scale and
// mx::quantize_element, for every bfloat16 number and scale
// (tests/kernels/quantize/mxfp4_pairs_test.cpp).
#pragma once
#include "bfloat16_pairs.h"
#include "device/architecture.h"
#include "mx/block/block.h"

namespace mx::kernels {

/// Where a power-of-two rule selects the next exponent, found by evaluating the rule.
///   carry  added to amax' bits: it carries into the exponent if the rule selects the next one
///   shift  the scale's code is then the exponent field, less this
struct scale_step {
  std::uint32_t carry = 0;
  int shift = 0;
};

/// Number of bfloat16 fractions, as rounded_to_odd leaves them, that select a binade's lower
/// exponent: every rule's bound has at most 7 bits, so that the result for a fraction with the last
/// bit set holds for all numbers between its neighbours.
[[nodiscard]] constexpr scale_step scale_step_of(scale_rule rule) noexcept {
  const auto code_of = [rule](std::uint32_t amax) {
    return shared_scale(formats::e2m1, rule, decode<formats::bfloat16>(amax)).code;
  };
  constexpr std::uint32_t one = 127 << 7;
  std::uint32_t lower = 0;
  while (lower < 128 && code_of(one + lower) == code_of(one)) ++lower;
  // If only the first fraction is lower, or none is, the rule has no step in this binade.
  return {128 - lower, 127 - code_of(one)};
}

/// E8M0 code of a block.
///   amax  bits of a bfloat16 number, finite
[[nodiscard]] MX_HD inline std::uint32_t scale_code_of(const scale_step& step,
                                                       std::uint32_t amax) noexcept {
  const int code = static_cast<int>((amax + step.carry) >> 7) - step.shift;
  return code < 0 ? 0 : static_cast<std::uint32_t>(code);
}

/// 2^-exponent of a scale, in both halves.
///   code  0 to 253: the maximum that a rule selects in a block of finite numbers
[[nodiscard]] MX_HD inline std::uint32_t reciprocals_of(std::uint32_t code) noexcept {
  return pairs::both((254 - code) << 7);
}

/// Codes of two elements, in bits 3:0 and 19:16.
///   x            bfloat16 numbers, |x| at most 8 times the scale
///   reciprocals  of the scale
///
/// Below 2 the elements are the multiples of 1/2, from 2 on those of 1, from 4 on those of 2; added
/// to 64, 128 or 256 a bfloat16 number is rounded to exactly these, and its last bits count them.
[[nodiscard]] MX_HD inline std::uint32_t codes_of(std::uint32_t x,
                                                  std::uint32_t reciprocals) noexcept {
  const std::uint32_t y = pairs::multiplied(x & pairs::magnitudes, reciprocals);
  const std::uint32_t binade = pairs::larger(y & 0x7F807F80, 0x3F803F80);  // 1, 2, 4 or 8
  const std::uint32_t rounded = pairs::added(y, binade + 0x03000300);      // times 64
  // Two codes a binade lie below the count: its number, in bits 8:7 since 64 is 0x4280, times 2.
  const std::uint32_t steps = rounded - 0x42804280;
  const std::uint32_t magnitude =
      pairs::smaller((steps & 0x007F007F) + (steps >> 6 & 0x00060006), 0x00070007);
  return magnitude | (x >> 12 & 0x00080008);
}

/// Codes in bits 3:0 and 7:4.
[[nodiscard]] MX_HD constexpr std::uint32_t packed_codes(std::uint32_t codes) noexcept {
  return (codes | codes >> 12) & 0xFF;
}

/// The same two elements as a byte. If the device converts to E2M1 itself (PTX ISA,
/// cvt.rn.satfinite.e2m1x2.f32: the first source has the high bits; has not run on its hardware),
/// by that instruction: x over its scale is exactly a binary32 number.
[[nodiscard]] MX_HD inline std::uint32_t packed_codes_of(std::uint32_t x,
                                                         std::uint32_t reciprocals) noexcept {
#if MX_CODE_HAS_E2M1_CONVERSION
  const std::uint32_t y = pairs::multiplied(x, reciprocals);
  std::uint32_t bytes;
  asm("{\n\t.reg .b8 codes;\n\tcvt.rn.satfinite.e2m1x2.f32 codes, %1, %2;\n\t"
      "mov.b32 %0, {codes, codes, codes, codes};\n\t}"
      : "=r"(bytes)
      : "f"(float_of(y & 0xFFFF0000)), "f"(float_of(y << 16)));
  return bytes & 0xFF;
#else
  return packed_codes(codes_of(x, reciprocals));
#endif
}

}  // namespace mx::kernels
