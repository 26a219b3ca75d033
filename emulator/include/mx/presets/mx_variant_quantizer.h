// SPDX-License-Identifier: Apache-2.0
// mx/presets/mx_variant_quantizer.h: blocks with E8M0 scales, quantized and decoded as by public
// kernels.
// Source: of each preset in mx/presets/mx_variants.h.
#pragma once
#include "mx/presets/mx_variant_scale.h"
#include "mx/presets/variant_element.h"

namespace mx {

/// RNE32(x * 2^power); Inf and NaN are unchanged.
[[nodiscard]] MX_HD constexpr float times_power(float x, int power) noexcept {
  const unpacked value = unpack(x);
  return value.is_special() ? x : to_binary32(value.scaled_by_power_of_two(power));
}

/// x over its block's scale, before it is rounded to an element. A NaN becomes quiet, and keeps its
/// sign and the rest of its fraction.
[[nodiscard]] MX_HD constexpr float element_over_scale(const mx_variant& v,
                                                       const variant_scale& scale,
                                                       float x) noexcept {
  if (unpack(x).kind == kind::nan) return float_of(bits_of(x) | 0x400000);
  const int power = 127 - scale.code;
  const float field = float_of(static_cast<std::uint32_t>(scale.code) << 23);
  switch (v.factor) {
    case element_factor::one:
    case element_factor::one_open:
      if (scale.code == 0) return x;
      break;
    case element_factor::zero:
      if (scale.code == 0 || scale.code == 255) return fp32::multiply(x, 0.0F);
      break;
    case element_factor::normal:
      if (scale.code == 255) return fp32::divide(x, fp32::infinity(false));
      return times_power(x, scale.code == 0 ? 126 : power);
    case element_factor::field:
      return fp32::divide(x, field);
    case element_factor::triple:
      return fp32::multiply(fp32::divide(x, field), 3.0F);
    case element_factor::early:
      if (scale.exponent < 0) return fp32::multiply(x, fp32::infinity(false));
      break;
    case element_factor::power:
      break;
  }
  const bool nan = scale.code == 255 && v.factor != element_factor::one_open;
  return nan ? fp32::nan : times_power(x, power);
}

/// Half the scale, for element_method::search: 2^(code - 128), even for 255.
[[nodiscard]] MX_HD constexpr float half_scale_of(std::uint8_t code) noexcept {
  return to_binary32(unpacked::positive(1, code - 128));
}

[[nodiscard]] MX_HD constexpr std::uint8_t variant_code(const mx_variant& v, const format& f,
                                                        const variant_scale& scale,
                                                        float x) noexcept {
  const std::uint32_t code = v.element.method == element_method::search
                                 ? searched_code(x, half_scale_of(scale.code))
                                 : converted(f, v.element, element_over_scale(v, scale, x));
  return static_cast<std::uint8_t>(code);
}

/// Whether all elements of a block become +0.
[[nodiscard]] MX_HD constexpr bool is_cleared(const mx_variant& v, float amax) noexcept {
  if (v.cleared == cleared_blocks::none || unpack(amax).is_special()) return false;
  if (amax == 0) return true;
  return v.cleared == cleared_blocks::subnormal && variant_exponent(v.exponent, amax) <= 0;
}

/// Codes and scale of one block as the preset's kernel computes them.
///   f        one of v.about.formats, or one with the same element
///   x        `count` values, 1 to 256
///   codes    receives as many codes
///   returns  the code of the scale
MX_HD constexpr std::uint8_t quantize_block(const mx_variant& v, const block_format& f,
                                            const float* x, int count,
                                            std::uint8_t* codes) noexcept {
  const variant_scale scale = variant_scale_of(v, f, x, count);
  const bool cleared = is_cleared(v, variant_amax(v.amax, x, count));
  for (int i = 0; i < count; ++i) {
    codes[i] = cleared ? std::uint8_t{0} : variant_code(v, f.element, scale, x[i]);
  }
  return scale.code;
}

/// RNE32(element * scale) in the arithmetic of the preset's own decoder.
[[nodiscard]] MX_HD constexpr float dequantize_element(const mx_variant& v, const format& f,
                                                       std::uint8_t scale,
                                                       std::uint32_t code) noexcept {
  const unpacked value = decode(f, code);
  if (value.kind == kind::nan) return fp32::nan;
  const bool unsigned_zero = v.decoded_zero == minus_zero::positive && value.is_zero();
  const float element =
      value.kind == kind::infinite ? fp32::infinity(value.negative) : to_binary32(value);
  return decoded(v.decoding, scale, unsigned_zero ? 0.0F : element);
}

}  // namespace mx
