// SPDX-License-Identifier: Apache-2.0
// mx/number/log2_bands.h: floor and ceiling of a logarithm that was rounded to FP32, without a
// logarithm. Next to a power of two the rounded logarithm is the integer itself: floor returns k
// for a band of values just below 2^k, and ceil returns k for a band just above 2^k.
// Source: run over every FP32 number within 100 ULP of a power of two: log2f of glibc 2.36, log2 of
// NumPy 2.4 and of PyTorch 2.15 (SLEEF) agree with this table; glibc's floor on all positive
// floats.
#pragma once
#include "mx/number/element.h"

namespace mx {

/// ULPs of a band, by the bit width of the integer to which or from which the logarithm is rounded:
/// half an ULP of such a number times ln 2, 2^(n - 8) * 88.72, truncated.
inline constexpr int log2_band_below[9] = {0, 0, 1, 2, 5, 11, 22, 44, 88};
inline constexpr int log2_band_above[9] = {0, 0, 0, 1, 2, 5, 11, 22, 44};

/// FP32 pattern of 2^k; of Inf for 128.
///   k  -149 to 128
[[nodiscard]] MX_HD constexpr std::uint32_t pattern_of_power(int k) noexcept {
  return k >= -126 ? static_cast<std::uint32_t>(k + 127) << 23 : std::uint32_t{1} << (k + 149);
}

/// FP32 numbers just below 2^k whose logarithm is rounded to k.
///   k  -148 to 128
[[nodiscard]] MX_HD constexpr std::uint32_t numbers_below(int k) noexcept {
  const int width = bit_width(static_cast<std::uint64_t>(k > 0 ? k - 1 : -k));
  const int wider = larger_of(-125 - k, 0);  // subnormals lie further apart
  return static_cast<std::uint32_t>(log2_band_below[width] >> wider);
}

/// FP32 numbers just above 2^k whose logarithm is rounded to k.
///   k  -149 to 127
[[nodiscard]] MX_HD constexpr std::uint32_t numbers_above(int k) noexcept {
  const int width = bit_width(static_cast<std::uint64_t>(k >= 0 ? k : -k - 1));
  const int wider = larger_of(-126 - k, 0);
  return static_cast<std::uint32_t>(log2_band_above[width] >> wider);
}

/// floor(RNE32(log2(x)))
///   x  positive and finite
[[nodiscard]] MX_HD constexpr int floor_of_rounded_log2(float x) noexcept {
  const int next = unpack(x).floor_log2() + 1;
  return pattern_of_power(next) - bits_of(x) <= numbers_below(next) ? next : next - 1;
}

/// ceil(RNE32(log2(x)))
///   x  positive and finite
[[nodiscard]] MX_HD constexpr int ceil_of_rounded_log2(float x) noexcept {
  const int k = unpack(x).floor_log2();
  return bits_of(x) - pattern_of_power(k) <= numbers_above(k) ? k : k + 1;
}

static_assert(floor_of_rounded_log2(8.0F) == 3 && floor_of_rounded_log2(0x1.fffffep+2F) == 3);
static_assert(floor_of_rounded_log2(0x1.fffffep+1F) == 1);  // below 4 nothing is misrounded
static_assert(floor_of_rounded_log2(0x1.fffffep+127F) == 128);
static_assert(ceil_of_rounded_log2(8.0F) == 3 && ceil_of_rounded_log2(0x1.000002p+3F) == 4);
static_assert(ceil_of_rounded_log2(0x1.000002p+4F) == 4);

}  // namespace mx
