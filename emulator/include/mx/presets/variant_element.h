// SPDX-License-Identifier: Apache-2.0
// mx/presets/variant_element.h: the code of an element as public kernels compute it.
// Source: of each method in mx/presets/variant.h; triton-lang/triton, _downcast_to_mxfp.py
// (cut_below_one); microsoft/microxcaling, mx/elemwise_ops.py (fp32_sums); llama.cpp, ggml-quants.c
// (search).
#pragma once
#include "mx/number/fp32.h"
#include "mx/number/log2_bands.h"
#include "mx/presets/variant.h"

namespace mx {

/// Code of a NaN, or of a value treated as one.
[[nodiscard]] MX_HD constexpr std::uint32_t nan_element_code(const format& f, nan_element which,
                                                             float x) noexcept {
  const std::uint32_t sign = bits_of(x) >> 31 != 0 ? f.sign_mask() : 0;
  const float number = float_of(0x3F800000 | (bits_of(x) & 0x7FFFFF));
  switch (which) {
    case nan_element::all_ones:
      return f.magnitude_mask();
    case nan_element::signed_all_ones:
      return sign | f.magnitude_mask();
    case nan_element::fraction:
      if (f.has_nan()) return sign | f.magnitude_mask();
      return sign | encode(f, unpack(number), rounding::ties_to_even, overflow::saturate);
    case nan_element::one_and_a_half:
      return encode(f, unpack(1.5F), rounding::ties_to_even, overflow::saturate);
    case nan_element::opposite_zero:
      return sign ^ f.sign_mask();
    case nan_element::zero:
      break;
  }
  return 0;
}

/// Code of a finite value, and the sign of its zero.
[[nodiscard]] MX_HD constexpr std::uint32_t rounded_code(const format& f, const unpacked& value,
                                                         rounding how, zero_sign zero) noexcept {
  const std::uint32_t code = encode(f, value, how, overflow::saturate);
  const bool is_zero = (code & f.magnitude_mask()) == 0 && f.sign_form == sign_form::sign_magnitude;
  const bool dropped =
      zero == zero_sign::positive || (zero == zero_sign::of_nonzero && value.is_zero());
  return is_zero && dropped ? 0 : code;
}

/// A value below 1 after its bits under 2^-23 are shifted out.
[[nodiscard]] MX_HD constexpr unpacked cut_below_one(const unpacked& value) noexcept {
  if (value.is_zero() || value.floor_log2() >= 0 || value.exponent >= -23) return value;
  const int distance = -23 - value.exponent;
  const std::uint64_t kept = distance > 63 ? 0 : value.significand >> distance;
  return unpacked::finite(value.negative, kept, -23);
}

/// A positive FP32 number truncated to an integer.
///   x  below 2^23
[[nodiscard]] MX_HD constexpr std::uint64_t whole_part(float x) noexcept {
  const unpacked value = unpack(x);
  if (value.is_zero()) return 0;
  if (value.exponent >= 0) return value.significand << value.exponent;
  return value.exponent < -63 ? 0 : value.significand >> -value.exponent;
}

/// The magnitude in whole units, rounded by FP32 sums.
///   size  magnitude over the unit, below 2^23
[[nodiscard]] MX_HD constexpr std::uint64_t units_of(float size, rounding how) noexcept {
  if (how == rounding::toward_zero) return whole_part(size);
  const std::uint64_t up = whole_part(fp32::add(size, 0.5F));
  if (how == rounding::ties_away) return up;
  const bool tie = fp32::multiply(size, 2.0F) == static_cast<float>(2 * up - 1);
  return tie && up % 2 == 1 ? up - 1 : up;
}

/// The value rounded in the unit of the binade given by a rounded logarithm.
[[nodiscard]] MX_HD constexpr unpacked rounded_by_sums(const format& f, float x,
                                                       rounding how) noexcept {
  const unpacked value = unpack(x);
  if (value.is_zero()) return value;
  const float magnitude = float_of(bits_of(x) & 0x7FFFFFFF);
  const bool one_unit = f.sign_form == sign_form::twos_complement;
  const int binade = one_unit ? value.floor_log2() : floor_of_rounded_log2(magnitude);
  if (binade > f.emax() + 1) return value;  // saturates whatever the unit
  const int top = one_unit ? 0 : binade;
  const int unit = (top > f.emin() ? top : f.emin()) - f.fraction_bits;
  const float size = to_binary32(unpack(magnitude).scaled_by_power_of_two(-unit));
  return unpacked::finite(value.negative, units_of(size, how), unit);
}

/// The first of the 16 codes of E2M1 with the smallest RNE32(|RNE32(value * scale) - x|); 0 if
/// every error is NaN or Inf.
///   half_scale  half the scale: the values are stored doubled, as 0 1 2 3 4 6 8 12
[[nodiscard]] MX_HD constexpr std::uint32_t searched_code(float x, float half_scale) noexcept {
  std::uint32_t best = 0;
  std::uint32_t smallest = bits_of(x) & 0x7FFFFFFF;
  for (std::uint32_t code = 1; code < 16; ++code) {
    const float doubled = to_binary32(decode<formats::e2m1>(code).scaled_by_power_of_two(1));
    const float error = fp32::subtract(fp32::multiply(doubled, half_scale), x);
    const std::uint32_t size = bits_of(error) & 0x7FFFFFFF;
    // Patterns are ordered as magnitudes are; comparisons with NaN are false.
    if (size < smallest && smallest <= 0x7F800000) {
      smallest = size;
      best = code;
    }
  }
  return best;
}

/// Code of a value already divided by its scale. Not for element_method::search.
[[nodiscard]] MX_HD constexpr std::uint32_t converted(const format& f, const element_conversion& c,
                                                      float x) noexcept {
  const unpacked value = unpack(x);
  const bool infinite = value.kind == kind::infinite;
  if (value.kind == kind::nan || (infinite && c.infinite == infinite_element::as_nan)) {
    return nan_element_code(f, c.nan, x);
  }
  if (infinite) return signed_code(f, value.negative, f.max_code());
  switch (c.method) {
    case element_method::cut_below_one: {
      const unpacked cut = cut_below_one(value);
      return signed_code(f, value.negative,
                         rounded_code(f, cut, c.rounding, c.zero) & f.magnitude_mask());
    }
    case element_method::fp32_sums: {
      const unpacked sum = rounded_by_sums(f, x, c.rounding);
      const std::uint32_t code = encode(f, sum, rounding::ties_to_even, overflow::saturate);
      const bool negative_zero = sum.is_zero() && value.negative && !value.is_zero();
      return negative_zero ? signed_code(f, true, 0) : (sum.is_zero() ? 0 : code);
    }
    case element_method::exact:
    case element_method::search:
      break;
  }
  return rounded_code(f, value, c.rounding, c.zero);
}

static_assert(searched_code(2.5F, 0.5F) == 4 && searched_code(-5.0F, 0.5F) == 14);

}  // namespace mx
