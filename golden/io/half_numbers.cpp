// SPDX-License-Identifier: Apache-2.0
// golden/io/half_numbers.cpp: numbers of 16 bits as FP32, exactly.
#include "golden/io/half_numbers.h"

#include <bit>

namespace golden::io {

float from_bfloat16(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

float from_float16(std::uint16_t bits) {
  const std::uint32_t sign = std::uint32_t{bits} >> 15 << 31;
  const std::uint32_t exponent = std::uint32_t{bits} >> 10 & 31U;
  const std::uint32_t fraction = bits & 1023U;
  if (exponent == 0) {
    // A multiple of 2^-24 below 2^-14: exact in FP32; the sign is set separately so that a zero
    // keeps it.
    const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
  }
  const std::uint32_t field = exponent == 31 ? 255U : exponent + (127U - 15U);
  return std::bit_cast<float>(sign | field << 23 | fraction << 13);
}

}  // namespace golden::io
