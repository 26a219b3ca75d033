// SPDX-License-Identifier: Apache-2.0
// mx/number/fp32.h: FP32 operations as IEEE 754 defines them, in integer arithmetic: the results of
// a kernel's sequence of operations, independent of the calling program's rounding mode and flush
// setting.
// Source: IEEE 754-2019, clauses 4.3.1 (nearest even), 5.4.1 (operations), 6.2 and 6.3 (NaN,
// signs).
#pragma once
#include "mx/number/element.h"

namespace mx::fp32 {

/// Any NaN result is the canonical one.
inline constexpr float nan = float_of(nan_bits);

[[nodiscard]] MX_HD constexpr float signed_zero(bool negative) noexcept {
  return negative ? -0.0F : 0.0F;
}
[[nodiscard]] MX_HD constexpr float infinity(bool negative) noexcept {
  return float_of((negative ? 0x80000000U : 0U) | formats::binary32.infinity_code());
}

/// RNE32(a * b)
[[nodiscard]] MX_HD constexpr float multiply(float a, float b) noexcept {
  const unpacked x = unpack(a), y = unpack(b);
  const bool negative = x.negative != y.negative;
  if (x.kind == kind::nan || y.kind == kind::nan) return nan;
  if (x.kind == kind::infinite || y.kind == kind::infinite) {
    return x.is_zero() || y.is_zero() ? nan : infinity(negative);
  }
  return to_binary32(multiplied(x, y));
}

/// RNE32(a / b)
[[nodiscard]] MX_HD constexpr float divide(float a, float b) noexcept {
  const unpacked x = unpack(a), y = unpack(b);
  const bool negative = x.negative != y.negative;
  if (x.kind == kind::nan || y.kind == kind::nan || (x.kind == y.kind && x.kind != kind::finite)) {
    return nan;  // 0 / 0 and Inf / Inf among them
  }
  if (x.kind == kind::infinite || y.is_zero()) return infinity(negative);
  if (x.is_zero() || y.kind == kind::infinite) return signed_zero(negative);
  unpacked result = quotient(x, y);
  result.negative = negative;
  return to_binary32(result);
}

/// RNE32(a + b)
[[nodiscard]] MX_HD constexpr float add(float a, float b) noexcept {
  const unpacked x = unpack(a), y = unpack(b);
  if (x.kind == kind::nan || y.kind == kind::nan) return nan;
  if (x.kind == kind::infinite) {
    return y.kind == kind::infinite && x.negative != y.negative ? nan : a;
  }
  if (y.kind == kind::infinite) return b;
  if (x.is_zero() && y.is_zero()) return signed_zero(x.negative && y.negative);
  if (x.is_zero()) return b;
  if (y.is_zero()) return a;
  const bool x_is_larger = compare_magnitudes(x, y) >= 0;
  unpacked large = x_is_larger ? x : y;
  const unpacked small = x_is_larger ? y : x;
  // 24 bits moved up by 32 leave room for the smaller number's bits, or for a sticky bit below the
  // 26th of the sum.
  large.significand <<= 32;
  large.exponent -= 32;
  const int shift = small.exponent - large.exponent;
  const std::uint64_t aligned =
      shift_right_sticky(small.significand << larger_of(shift, 0), larger_of(-shift, 0));
  const bool subtracting = large.negative != small.negative;
  const std::uint64_t sum = subtracting ? large.significand - aligned : large.significand + aligned;
  if (sum == 0) return 0.0F;
  return to_binary32(unpacked::finite(large.negative, sum, large.exponent));
}

/// RNE32(a - b)
[[nodiscard]] MX_HD constexpr float subtract(float a, float b) noexcept {
  return add(a, float_of(bits_of(b) ^ 0x80000000U));
}

/// Flush to zero: a subnormal becomes a zero of its sign.
[[nodiscard]] MX_HD constexpr float flushed(float a) noexcept {
  const std::uint32_t bits = bits_of(a);
  return (bits & 0x7F800000U) == 0 ? float_of(bits & 0x80000000U) : a;
}

static_assert(multiply(3.0F, 0x1p-149F) == 0x1.8p-148F && divide(1.0F, 3.0F) == 1.0F / 3.0F);
static_assert(add(1.0F, 0x1p-24F) == 1.0F && add(1.0F, 0x1.000002p-24F) == 0x1.000002p0F);
static_assert(add(0x1p30F, -0x1.fffffep29F) == 0x1p6F && subtract(1.0F, 1.0F) == 0.0F);
static_assert(bits_of(divide(-1.0F, 0.0F)) == 0xFF800000 && divide(0x1p-149F, 2.0F) == 0.0F);

}  // namespace mx::fp32
