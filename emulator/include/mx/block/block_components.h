// SPDX-License-Identifier: Apache-2.0
// mx/block/block_components.h: the exact parts of a quantization error in any block format.
// Source: arXiv 2605.20402 for MXFP4 (mx/block/components.h), generalized: any element, any scale,
// tensor scales. Open choices: D-007 (ties at the edge of the deadzone), D-008 (clip).
#pragma once
#include "mx/block/block_quantizer.h"

namespace mx {

/// The largest element of a format is divisor_of times a power of two, so that Q* times it is an
/// integer times a power of two: 3 of E2M1, 7 of E5M2, 14 of E4M3, 15 of E2M3, 127 of INT8.
[[nodiscard]] MX_HD constexpr std::uint64_t divisor_of(const format& element) noexcept {
  return element.max_significand();
}

/// Magnitudes of one element, each times divisor_of its format; Q and Q* have the sign of x.
///   quantized  of Q, the quantizer under test: at most 47 bits (element 7, divisor 7, scale 33)
///   ideal      of Q*: the same elements, nearest-even, under the unrounded scale amax / max
///   clipped    |x| > max * scale
struct compared_magnitudes {
  unpacked x, quantized, ideal;
  bool clipped = false;
};

[[nodiscard]] MX_HD constexpr unpacked magnitude_of(unpacked value) noexcept {
  value.negative = false;
  return value;
}

/// The value of a code under a scale, times the divisor.
///   scale  decoded from its code, with the denominator 1, or the format's exact_ratio
[[nodiscard]] MX_HD constexpr unpacked numerator_of(const format& element, std::uint32_t code,
                                                    const scale_ratio& scale) noexcept {
  const unpacked value = multiplied(decode(element, code), scale.numerator)
                             .scaled_by_power_of_two(-scale.denominator.exponent);
  // Any other denominator is the largest element, and the divisor cancels its significand.
  return scale.denominator.significand == 1 ? multiplied(value, divisor_of(element)) : value;
}

/// Code of the element nearest to x * max / amax: what Q* picks.
///   amax  finite, not zero, not below |x|
[[nodiscard]] MX_HD constexpr std::uint32_t ideal_code(const block_format& f, const unpacked& x,
                                                       const unpacked& amax) noexcept {
  return element_code(f.element, x, exact_ratio(f, amax), rounding::ties_to_even);
}

/// Compares one element with its quantized values.
///   x     finite or zero, from binary32      amax   of its block, not zero
///   code  returned by the quantizer          scale  by which it divided
[[nodiscard]] MX_HD constexpr compared_magnitudes compare(const block_format& f, const unpacked& x,
                                                          const unpacked& amax, std::uint32_t code,
                                                          const scale_ratio& scale) noexcept {
  const format& element = f.element;
  compared_magnitudes result;
  result.x = multiplied(magnitude_of(x), divisor_of(element));
  result.quantized = magnitude_of(numerator_of(element, code, scale));
  result.ideal = magnitude_of(numerator_of(element, ideal_code(f, x, amax), exact_ratio(f, amax)));
  result.clipped =
      compare_magnitudes(result.x, numerator_of(element, element.max_code(), scale)) > 0;
  return result;
}

/// Whether the parts add up to divisor * (Q - x), exactly.
///   x        with its sign
///   decoded  divisor * Q with its sign, decoded from the stored code and scale code alone
/// In the common unit all numbers are below 2^120, so no sum of three overflows. They lie further
/// apart only where Q saturates more than 2^60 below x; then no Q* can make up the difference.
[[nodiscard]] MX_HD constexpr bool parts_add_up(const compared_magnitudes& e, const unpacked& x,
                                                const unpacked& decoded) noexcept {
  int unit = 1 << 20, top = -unit;
  const unpacked values[] = {e.x, e.quantized, e.ideal, decoded};
  for (const unpacked& value : values) {
    if (value.is_zero()) continue;
    unit = smaller_of(value.exponent, unit);
    top = larger_of(value.floor_log2(), top);
  }
  const bool same_sign = decoded.is_zero() || decoded.negative == x.negative;
  if (top - unit >= 120) return same_sign && compare_magnitudes(decoded, e.quantized) == 0;
  const wide_integer size = in_units(e.x, unit), quantized = in_units(e.quantized, unit);
  const wide_integer ideal = in_units(e.ideal, unit);
  const wide_integer scale = e.clipped ? 0 : quantized - ideal;
  const wide_integer clip = e.clipped ? quantized - ideal : 0;
  const wide_integer deadzone = ideal == 0 ? -size : 0;
  const wide_integer grid = ideal == 0 ? 0 : ideal - size;
  const wide_integer sum = scale + clip + deadzone + grid;
  return (x.negative ? -sum : sum) == in_units(decoded, unit) - (x.negative ? -size : size);
}

static_assert(divisor_of(formats::e2m1) == 3 && divisor_of(formats::int8) == 127);

}  // namespace mx
