// SPDX-License-Identifier: Apache-2.0
// mx/number/fp32_device.h: FP32 operations of kernels beyond +, * and /: the fused multiply-add,
// the minimum, a reciprocal that flushes; in integer arithmetic as in mx/number/fp32.h.
// Source: IEEE 754-2019, clause 5.4.1 (fusedMultiplyAdd); ISO C, fminf; PTX ISA, rcp (.ftz).
#pragma once
#include "mx/number/fp32.h"

namespace mx::fp32 {

inline constexpr float largest = float_of(formats::binary32.max_code());

[[nodiscard]] MX_HD constexpr float magnitude(float a) noexcept {
  return float_of(bits_of(a) & 0x7FFFFFFFU);
}
[[nodiscard]] MX_HD constexpr bool is_nan(float a) noexcept {
  return bits_of(magnitude(a)) > formats::binary32.infinity_code();
}
[[nodiscard]] MX_HD constexpr bool is_zero(float a) noexcept { return bits_of(magnitude(a)) == 0; }

/// The smaller of two non-negative numbers; `limit` if a is NaN, as in fminf.
[[nodiscard]] MX_HD constexpr float at_most(float a, float limit) noexcept {
  return float_of(smaller_of(bits_of(a), bits_of(limit)));
}
/// The same, but propagates NaN.
[[nodiscard]] MX_HD constexpr float at_most_unless_nan(float a, float limit) noexcept {
  return is_nan(a) ? a : at_most(a, limit);
}

/// Products and quotients on integers. An operation order takes another arithmetic of the same bits
/// where that is faster: the processor's.
struct exact_arithmetic {
  [[nodiscard]] MX_HD static constexpr float multiply(float a, float b) noexcept {
    return fp32::multiply(a, b);
  }
  [[nodiscard]] MX_HD static constexpr float divide(float a, float b) noexcept {
    return fp32::divide(a, b);
  }
};

/// Whether a reciprocal flushes subnormal inputs and results to zero.
enum class reciprocal_subnormals : std::uint8_t { kept, flushed };

/// RNE32(1 / a)
template <class Arithmetic = exact_arithmetic>
[[nodiscard]] MX_HD constexpr float reciprocal(float a, reciprocal_subnormals subnormals) noexcept {
  if (subnormals == reciprocal_subnormals::kept) return Arithmetic::divide(1.0F, a);
  return flushed(Arithmetic::divide(1.0F, flushed(a)));
}

/// a + b, sufficient for one rounding to 27 significand bits; the lowest bit may be a sticky bit.
///   a, b  finite, significands below 2^58
[[nodiscard]] MX_HD constexpr unpacked rounded_sum(const unpacked& a, const unpacked& b) noexcept {
  const bool a_is_larger = compare_magnitudes(a, b) >= 0;
  const unpacked& large = a_is_larger ? a : b;
  const unpacked& small = a_is_larger ? b : a;
  // With 60 bits each, the last two of them zero, a shift by less than two loses nothing; after a
  // longer one at least 58 bits of the difference remain, the sticky bit far below the 27th.
  const int up = 60 - bit_width(large.significand), small_up = 60 - bit_width(small.significand);
  const int distance = (large.exponent - up) - (small.exponent - small_up);
  const std::uint64_t aligned = shift_right_sticky(small.significand << small_up, distance);
  const std::uint64_t top = large.significand << up;
  const std::uint64_t sum = large.negative == small.negative ? top + aligned : top - aligned;
  return unpacked::finite(large.negative, sum, large.exponent - up);
}

/// RNE32(a * b + c), one rounding.
[[nodiscard]] MX_HD constexpr float fused_multiply_add(float a, float b, float c) noexcept {
  const unpacked x = unpack(a), y = unpack(b), z = unpack(c);
  if (x.is_special() || y.is_special() || x.is_zero() || y.is_zero()) return add(multiply(a, b), c);
  if (z.is_special()) return add(0.0F, c);
  const unpacked product = multiplied(x, y);
  if (z.is_zero()) return to_binary32(product);
  const unpacked sum = rounded_sum(product, z);
  return sum.is_zero() ? 0.0F : to_binary32(sum);
}

static_assert(fused_multiply_add(0x1.000002p0F, 0x1.000002p0F, -0x1.000004p0F) == 0x1p-46F);
static_assert(fused_multiply_add(3.0F, 5.0F, 0x1p-30F) == 15.0F);
static_assert(bits_of(fused_multiply_add(-0.0F, 5.0F, 0.0F)) == 0);
static_assert(reciprocal(0x1p-130F, reciprocal_subnormals::flushed) == infinity(false));

}  // namespace mx::fp32
