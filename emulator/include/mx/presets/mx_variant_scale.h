// SPDX-License-Identifier: Apache-2.0
// mx/presets/mx_variant_scale.h: the E8M0 scale of a block as public kernels choose it.
// Source: of each preset in mx/presets/mx_variants.h; IST-DASLab/qutlass (1e-8 added, 2.92247856).
#pragma once
#include "mx/block/scale_search.h"
#include "mx/number/log2_bands.h"
#include "mx/presets/mx_variant.h"

namespace mx {

/// The scale of a block, and its exponent before clamping.
struct variant_scale {
  std::uint8_t code = 0;
  int exponent = 0;
};

/// The largest magnitude, including Inf; NaN is treated according to `nan`.
[[nodiscard]] MX_HD constexpr float variant_amax(amax_nan nan, const float* x, int count) noexcept {
  std::uint32_t largest = 0;  // patterns are ordered as magnitudes are, and NaN is above Inf
  int numbers = 0;
  for (int i = 0; i < count; ++i) {
    const std::uint32_t bits = bits_of(x[i]) & 0x7FFFFFFF;
    const bool number = bits <= 0x7F800000;
    numbers += number ? 1 : 0;
    if ((number || nan == amax_nan::propagated) && bits > largest) largest = bits;
  }
  return numbers == 0 && nan == amax_nan::only_all ? fp32::nan : float_of(largest);
}

/// The number whose exponent becomes the scale. Not for deviation.
[[nodiscard]] MX_HD constexpr float variant_operand(const mx_variant& v, const format& f,
                                                    float amax) noexcept {
  const unpacked largest = decode(f, f.max_code());
  const float max = to_binary32(largest);
  switch (v.operand) {
    case scale_operand::amax_rounded:
      return float_of((bits_of(amax) + (1U << (22 - f.fraction_bits))) & 0x7F800000);
    case scale_operand::over_power:
      return fp32::divide(amax, to_binary32(unpacked::positive(1, largest.floor_log2())));
    case scale_operand::over_max:
      return fp32::divide(amax, max);
    case scale_operand::times_reciprocal:
      return fp32::multiply(amax, fp32::divide(1.0F, max));
    case scale_operand::offset:
      return fp32::add(amax, 1e-8F);
    case scale_operand::amax:
    case scale_operand::deviation:
      break;
  }
  return amax;
}

/// Stands in for the logarithm of zero.
inline constexpr int below_all = -1000;

/// Biased exponent of a finite number.
[[nodiscard]] MX_HD constexpr int variant_exponent(exponent_rule rule, float operand) noexcept {
  const std::uint32_t bits = bits_of(operand), fraction = bits & 0x7FFFFF;
  const int field = static_cast<int>(bits >> 23);
  switch (rule) {
    case exponent_rule::field_up:
      return field + (fraction != 0 ? 1 : 0);
    case exponent_rule::convert_up:
      return static_cast<int>(e8m0_code(bits, e8m0_rounding::up));
    case exponent_rule::field_sqrt2:
      return field + (fraction >= 0x3504F3 ? 1 : 0);
    case exponent_rule::log2_floor:
      return bits == 0 ? below_all : 127 + floor_of_rounded_log2(operand);
    case exponent_rule::log2_ceil:
      return bits == 0 ? below_all : 127 + ceil_of_rounded_log2(operand);
    case exponent_rule::field:
      break;
  }
  return field;
}

/// Difference between the exponents of amax and of the scale.
[[nodiscard]] MX_HD constexpr int subtracted_exponent(const mx_variant& v,
                                                      const format& f) noexcept {
  const bool whole = v.operand == scale_operand::amax || v.operand == scale_operand::amax_rounded;
  return whole ? f.emax() : 0;
}

[[nodiscard]] MX_HD constexpr std::uint8_t special_scale_code(special_scale which,
                                                              int subtracted) noexcept {
  switch (which) {
    case special_scale::largest:
      return 254;
    case special_scale::one:
      return 127;
    case special_scale::smallest:
      return 0;
    case special_scale::exponent:
      return static_cast<std::uint8_t>(255 - subtracted);
    case special_scale::nan:
      break;
  }
  return 255;
}

[[nodiscard]] MX_HD constexpr int zero_scale_code(zero_scale which, const format& f) noexcept {
  if (which == zero_scale::offset) return static_cast<int>(bits_of(1e-8F) >> 23);
  return which == zero_scale::smallest ? 0 : 127 - f.emax();
}

[[nodiscard]] MX_HD constexpr int clamped_exponent(int biased) noexcept {
  return biased < 0 ? 0 : (biased > 254 ? 254 : biased);
}

/// The code of a biased exponent, from which emax is still to be subtracted.
[[nodiscard]] MX_HD constexpr variant_scale ranged_scale(scale_range range, int biased,
                                                         int subtracted) noexcept {
  if (range == scale_range::clamped_early) biased = clamped_exponent(biased);
  const int exponent = biased - subtracted;
  if (range == scale_range::wrapped) return {static_cast<std::uint8_t>(exponent & 255), exponent};
  if (range == scale_range::nan_above && exponent > 254) return {255, exponent};
  return {static_cast<std::uint8_t>(clamped_exponent(exponent)), exponent};
}

/// The scale that follows from amax. Not for deviation.
[[nodiscard]] MX_HD constexpr variant_scale variant_scale_of(const mx_variant& v, const format& f,
                                                             float amax) noexcept {
  const int subtracted = subtracted_exponent(v, f);
  if (unpack(amax).kind == kind::nan) return {special_scale_code(v.nan, subtracted), 0};
  if (amax == 0) {
    const int code = zero_scale_code(v.zero, f);
    return {static_cast<std::uint8_t>(code), code};
  }
  const float operand = variant_operand(v, f, amax);
  if (unpack(operand).kind == kind::infinite) {
    return {special_scale_code(v.infinite, subtracted), 0};
  }
  return ranged_scale(v.range, variant_exponent(v.exponent, operand), subtracted);
}

/// The same from the elements.
[[nodiscard]] MX_HD constexpr variant_scale variant_scale_of(const mx_variant& v,
                                                             const block_format& f, const float* x,
                                                             int count) noexcept {
  const float amax = variant_amax(v.amax, x, count);
  const unpacked exact = unpack(amax);
  if (v.operand != scale_operand::deviation || exact.kind != kind::finite) {
    return variant_scale_of(v, f.element, amax);
  }
  const int biased = 127 + quest_exponent(f, x, count, exact);
  const int least = zero_scale_code(zero_scale::offset, f.element);
  return ranged_scale(v.range, biased < least ? least : biased, 0);
}

}  // namespace mx
