// SPDX-License-Identifier: Apache-2.0
// kernels/src/quantize/random_conversion.h: codes of E2M1 with up to 8 random bits an element by
// Blackwell's own conversion. Equals mx::element_code with a stochastic rounder, if the conversion
// behaves as its manual states (tests/kernels/quantize/random_conversion_test.cpp).
// Source: PTX ISA, "cvt": cvt.rs.satfinite.e2m1x4.f32 d, {a, b, e, f}, rbits, of sm_100a and
// sm_103a; a has d's high bits; rounded away from zero if the random bits, added to the discarded
// bits, carry. The instruction has not run on its hardware.
#pragma once
#include "mx/block/block_scale.h"
#include "quantize/mxfp4_pairs.h"
#include "quantize/stochastic_pairs.h"

namespace mx::kernels {

/// Four numbers in the order of the operands.
struct conversion_operands {
  float a, b, e, f;
};

/// Assignment of the halves of the random word: the manual's text gives the upper bytes of both
/// halves to a and b, the lower ones to e and f; the rest is only in a figure.
///   upper_first  the upper half's to a and e      lower_first  the upper half's to b and f
enum class half_order : std::uint8_t { upper_first, lower_first };

/// The instruction as its manual describes it: NaN gives 6, Inf 6 with its sign.
struct documented_conversion {
  half_order order = half_order::upper_first;

  [[nodiscard]] MX_HD constexpr std::uint32_t operator()(const conversion_operands& x,
                                                         std::uint32_t random) const noexcept {
    const int first = order == half_order::upper_first ? 16 : 0, second = 16 - first;
    return code_of(x.a, random >> (first + 8)) << 12 | code_of(x.b, random >> (second + 8)) << 8 |
           code_of(x.e, random >> first) << 4 | code_of(x.f, random >> second);
  }

 private:
  [[nodiscard]] static MX_HD constexpr std::uint32_t code_of(float x,
                                                             std::uint32_t random) noexcept {
    const std::uint32_t infinity = 0x7F800000, magnitude = bits_of(x) & 0x7FFFFFFF;
    if (magnitude > infinity) return 7;
    if (magnitude == infinity) return 7 | (bits_of(x) >> 28 & 8);
    return element_code(formats::e2m1, unpack(x), {unpacked::positive(1, 0)},
                        rounder(8, random & 0xFF));
  }
};

/// Codes of two elements as a byte, the first in the low bits.
///   reciprocal    a power of two: of the scale; finite numbers
///   random, kept  as stochastic_codes_of takes them
///
/// Each element is converted twice, and both halves of the random word are equal, so that either
/// order of them gives the same codes. x * reciprocal is exact, or below 2^-126 and then zero to 8
/// fraction bits both before and after rounding.
template <class Conversion>
[[nodiscard]] MX_HD std::uint32_t stochastic_byte_by(const Conversion& convert, float first,
                                                     float second, float reciprocal,
                                                     std::uint32_t random,
                                                     std::uint32_t kept) noexcept {
  const float x = first * reciprocal, y = second * reciprocal;
  const std::uint32_t bytes = permuted_bytes(random & kept, 0, 0x2020);
  return convert({y, y, x, x}, bytes) >> 4 & 0xFF;
}

/// The same by the device's instruction.
[[nodiscard]] MX_HD inline std::uint32_t stochastic_byte_of(float first, float second,
                                                            float reciprocal, std::uint32_t random,
                                                            std::uint32_t kept) noexcept {
#if MX_CODE_HAS_RANDOM_CONVERSION
  const auto convert = [](const conversion_operands& x, std::uint32_t word) -> std::uint32_t {
    unsigned short codes;
    asm("cvt.rs.satfinite.e2m1x4.f32 %0, {%1, %2, %3, %4}, %5;"
        : "=h"(codes)
        : "f"(x.a), "f"(x.b), "f"(x.e), "f"(x.f), "r"(word));
    return codes;
  };
  return stochastic_byte_by(convert, first, second, reciprocal, random, kept);
#else
  return packed_codes(stochastic_codes_of(first, second, reciprocal, random, kept));
#endif
}

}  // namespace mx::kernels
