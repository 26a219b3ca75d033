// SPDX-License-Identifier: Apache-2.0
// mx/block/corrections.h: factors applied to elements before quantization (the macro-block factor,
// the gain), and the outlier fallback.
// Source: arXiv 2605.20402 (macro block, fallback), arXiv 2603.08713 (macro-block scaling), arXiv
// 2502.20586 (gain 3/4), arXiv 2601.22813 (gain 16/17). Open choices: D-009, D-018 (gain).
#pragma once
#include "mx/block/block.h"
#include "mx/block/block_scale.h"

namespace mx {

/// The factor f = 1 + fraction / 2^bits that a macro block is multiplied by before it is quantized.
struct macro_factor {
  int bits = 8;
  std::uint32_t fraction = 0;

  /// 2^bits * f
  [[nodiscard]] MX_HD constexpr std::uint32_t numerator() const noexcept {
    return (std::uint32_t{1} << bits) + fraction;
  }
  /// Whether the fraction fits into the bits; f is then below 2.
  [[nodiscard]] MX_HD constexpr bool is_possible() const noexcept { return fraction >> bits == 0; }
  /// f * x, exactly.
  [[nodiscard]] MX_HD constexpr unpacked times(const unpacked& x) const noexcept {
    return multiplied(x, numerator()).scaled_by_power_of_two(-bits);
  }
  friend constexpr bool operator==(const macro_factor&, const macro_factor&) = default;
};

/// Largest f in [1, 2) of that precision with f * amax <= max * 2^k, where k is the smallest
/// exponent with max * 2^k >= amax; so no block of the macro block jumps an octave.
///   element  whose largest value is max
///   amax     zero (then f = 1) or finite, from binary32
///   bits     1 to 16
[[nodiscard]] MX_HD constexpr macro_factor macro_factor_of(const format& element,
                                                           const unpacked& amax,
                                                           int bits) noexcept {
  if (amax.is_zero()) return {bits, 0};
  const int k = shared_exponent(element, scale_rule::rceil, amax);
  // max * 2^(bits + k) / amax lies in [2^bits, 2^(bits + 1)); its whole part is 2^bits + fraction.
  const unpacked ratio = quotient(largest_of(element).scaled_by_power_of_two(bits + k), amax);
  // The quotient has at least 30 bits, so its unit is well below 1 and the cut is exact.
  const auto whole = static_cast<std::uint32_t>(ratio.significand >> -ratio.exponent);
  return {bits, whole - (std::uint32_t{1} << bits)};
}

/// The same for MXFP4.
[[nodiscard]] MX_HD constexpr macro_factor macro_factor_of(const unpacked& amax,
                                                           int bits) noexcept {
  return macro_factor_of(format{formats::e2m1}, amax, bits);
}

/// Gain applied to elements beside the macro-block factor, so that stochastic rounding does not
/// clip: the scale is chosen without it, and the decoded value is divided by it.
enum class pre_gain : std::uint8_t { one, three_quarters, sixteen_seventeenths };

/// The factor before the quantizer, exactly: numerator / denominator.
struct prefactor {
  unpacked numerator = unpacked::positive(1, 0);
  unpacked denominator = unpacked::positive(1, 0);
};

///   f  at most 16 bits: the numerator is then below 2^21
[[nodiscard]] MX_HD constexpr prefactor prefactor_of(const macro_factor& f,
                                                     pre_gain gain) noexcept {
  const unpacked numerator = unpacked::positive(f.numerator(), -f.bits);
  switch (gain) {
    case pre_gain::three_quarters:
      return {multiplied(numerator, 3), unpacked::positive(1, 2)};
    case pre_gain::sixteen_seventeenths:
      return {numerator, unpacked::positive(17, -4)};
    case pre_gain::one:
      break;
  }
  return {numerator};
}

/// The scale applied to the elements: s / p.
[[nodiscard]] MX_HD constexpr scale_ratio with_prefactor(const scale_ratio& scale,
                                                         const prefactor& p) noexcept {
  return {multiplied(scale.numerator, p.denominator), multiplied(scale.denominator, p.numerator)};
}

/// Quantized value of f * x under the scale, divided by f again: RNE32(Q(f x) / f).
[[nodiscard]] MX_HD constexpr float quantize_with_factor(const unpacked& x, e8m0 scale,
                                                         macro_factor f) noexcept {
  const unpacked value = value_of(quantize_element(f.times(x), scale), scale);
  return to_binary32(
      quotient(value.scaled_by_power_of_two(f.bits), unpacked::positive(f.numerator(), 0)));
}

/// RNE32(first + alpha * second): a value plus its weighted quantized residual.
[[nodiscard]] MX_HD inline float with_residual(float first, float alpha, float second) noexcept {
  return fused_multiply_add(alpha, second, first);
}

static_assert(macro_factor_of(unpack(6.0F), 8).fraction == 0);
static_assert(macro_factor_of(unpack(0x1.800002p+2F), 8).fraction == 255);  // just above 6
static_assert(macro_factor_of(unpack(4.0F), 8).fraction == 128);            // 1.5 * 4 = 6
static_assert(macro_factor_of(unpack(0x1p-149F), 8).fraction == 128);
static_assert(macro_factor{4, 15}.is_possible() && !macro_factor{4, 16}.is_possible());

}  // namespace mx
