// SPDX-License-Identifier: Apache-2.0
// mx/number/bits.h: operations on bit patterns; the only header with compiler conditionals.
#pragma once
#include <cstdint>

#include "mx/number/config.h"

namespace mx {

/// 128 bits: an extension of g++, clang and nvcc.
__extension__ using wide_integer = __int128;

[[nodiscard]] MX_HD constexpr std::uint32_t bits_of(float value) noexcept {
  return __builtin_bit_cast(std::uint32_t, value);
}

[[nodiscard]] MX_HD constexpr float float_of(std::uint32_t bits) noexcept {
  return __builtin_bit_cast(float, bits);
}

template <class T>
[[nodiscard]] MX_HD constexpr T smaller_of(T a, T b) noexcept {
  return b < a ? b : a;
}
template <class T>
[[nodiscard]] MX_HD constexpr T larger_of(T a, T b) noexcept {
  return a < b ? b : a;
}

/// |x|; of the least number too.
[[nodiscard]] MX_HD constexpr std::uint64_t magnitude_of(std::int64_t x) noexcept {
  return x < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x);
}
[[nodiscard]] MX_HD constexpr std::int64_t with_sign(bool negative,
                                                     std::uint64_t magnitude) noexcept {
  return negative ? -static_cast<std::int64_t>(magnitude) : static_cast<std::int64_t>(magnitude);
}
/// A magnitude with the sign of x.
[[nodiscard]] MX_HD constexpr std::int64_t with_sign_of(std::int64_t x,
                                                        std::uint64_t magnitude) noexcept {
  return with_sign(x < 0, magnitude);
}

/// Position of the highest set bit plus one; 0 for 0.
[[nodiscard]] MX_HD constexpr int bit_width(std::uint64_t value) noexcept {
#if defined(__CUDA_ARCH__)
  if (!__builtin_is_constant_evaluated()) return 64 - __clzll(static_cast<long long>(value));
  int width = 0;
  for (; value != 0; value >>= 1) ++width;
  return width;
#else
  return value == 0 ? 0 : 64 - __builtin_clzll(value);
#endif
}

/// value * 2^places, truncated.
///   value   below 2^63, and the result below 2^64
///   places  at most 63
[[nodiscard]] MX_HD constexpr std::uint64_t shifted_by(std::uint64_t value, int places) noexcept {
  return value << larger_of(places, 0) >> smaller_of(larger_of(-places, 0), 63);
}

/// value / 2^distance, with everything that was shifted out ORed into the lowest bit.
///   distance  >= 0, may exceed 63
[[nodiscard]] MX_HD constexpr std::uint64_t shift_right_sticky(std::uint64_t value,
                                                               int distance) noexcept {
  if (distance == 0) return value;
  if (distance > 63) return value != 0 ? 1 : 0;
  const std::uint64_t lost = value << (64 - distance);
  return (value >> distance) | (lost != 0 ? 1 : 0);
}

/// RNE32(a * b + c), one rounding.
[[nodiscard]] MX_HD inline float fused_multiply_add(float a, float b, float c) noexcept {
#if defined(__CUDA_ARCH__)
  return __fmaf_rn(a, b, c);
#else
  return __builtin_fmaf(a, b, c);
#endif
}

static_assert(smaller_of(-1, 2) == -1 && larger_of(-1, 2) == 2);
static_assert(bit_width(0) == 0 && bit_width(1) == 1 && bit_width(255) == 8);
static_assert(shift_right_sticky(0b1011, 2) == 0b11 && shift_right_sticky(0b1000, 2) == 0b10);
static_assert(shift_right_sticky(1, 64) == 1 && shift_right_sticky(0, 64) == 0);

}  // namespace mx
