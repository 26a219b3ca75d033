// SPDX-License-Identifier: Apache-2.0
// mx/corrections.h: corrections of MXFP4's error: the macro-block factor and the outlier fallback.
// Source: arXiv 2605.20402 (both), arXiv 2603.08713 (macro-block scaling). Open choice: D-009.
#pragma once
#include "mx/block.h"

namespace mx {

/// The factor f = 1 + fraction / 2^bits that a macro block is multiplied by before it is quantized.
struct macro_factor {
  int bits = 8;
  std::uint32_t fraction = 0;

  /// 2^bits * f
  [[nodiscard]] MX_HD constexpr std::uint32_t numerator() const noexcept {
    return (std::uint32_t{1} << bits) + fraction;
  }
  /// f * x, exactly.
  [[nodiscard]] MX_HD constexpr unpacked times(const unpacked& x) const noexcept {
    return multiplied(x, numerator()).scaled_by_power_of_two(-bits);
  }
  friend constexpr bool operator==(const macro_factor&, const macro_factor&) = default;
};

/// Largest f in [1, 2) of that precision with f * amax <= 6 * 2^k, where k is the smallest exponent
/// with 6 * 2^k >= amax; so no block of the macro block jumps an octave.
///   amax  zero (then f = 1) or finite, from binary32
///   bits  1 to 16
[[nodiscard]] MX_HD constexpr macro_factor macro_factor_of(const unpacked& amax,
                                                           int bits) noexcept {
  if (amax.is_zero()) return {bits, 0};
  const int k = shared_exponent<formats::e2m1>(scale_rule::rceil, amax);
  // 6 * 2^(bits + k) / amax lies in [2^bits, 2^(bits + 1)); its whole part is 2^bits + fraction.
  const unpacked ratio = quotient(unpacked::finite(false, 6, bits + k), amax);
  // The quotient has at least 30 bits, so its unit is well below 1 and the cut is exact.
  const auto whole = static_cast<std::uint32_t>(ratio.significand >> -ratio.exponent);
  return {bits, whole - (std::uint32_t{1} << bits)};
}

/// Quantized value of f * x under the scale, divided by f again: RNE32(Q(f x) / f).
[[nodiscard]] MX_HD constexpr float quantize_with_factor(const unpacked& x, e8m0 scale,
                                                         macro_factor f) noexcept {
  const unpacked value = value_of(quantize_element(f.times(x), scale), scale);
  return to_binary32(
      quotient(value.scaled_by_power_of_two(f.bits), unpacked::finite(false, f.numerator(), 0)));
}

/// RNE32(first + alpha * second): a value and its quantized residual, put together again.
[[nodiscard]] MX_HD inline float with_residual(float first, float alpha, float second) noexcept {
  return fused_multiply_add(alpha, second, first);
}

static_assert(macro_factor_of(unpack(6.0F), 8).fraction == 0);
static_assert(macro_factor_of(unpack(0x1.800002p+2F), 8).fraction == 255);  // just above 6
static_assert(macro_factor_of(unpack(4.0F), 8).fraction == 128);            // 1.5 * 4 = 6
static_assert(macro_factor_of(unpack(0x1p-149F), 8).fraction == 128);

}  // namespace mx
