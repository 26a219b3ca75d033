// SPDX-License-Identifier: Apache-2.0
// mx/block/block_scale.h: scales in any format: decoding of scale codes, and scales that follow
// from amax alone.
// Source: as mx/block/scale.h; NVFP4's two levels as in TransformerEngine, but exact. Open choices:
// D-003 (zeros), D-015 (a tensor scale of zero), D-016 (rules of powers of two in other formats),
// D-040 (scales with a sign, or Inf).
#pragma once
#include "mx/block/block_format.h"
#include "mx/block/scale.h"

namespace mx {

/// An exact scale: numerator / denominator. Elements are quantized at x * denominator / numerator.
///   numerator    zero or finite, significand below 2^33; zero: every element becomes zero
///   denominator  finite
struct scale_ratio {
  unpacked numerator;
  unpacked denominator = unpacked::positive(1, 0);
};

/// The largest element value of a format.
[[nodiscard]] MX_HD constexpr unpacked largest_of(const format& f) noexcept {
  return decode(f, f.max_code());
}

/// Code of the smallest scale above zero.
[[nodiscard]] MX_HD constexpr std::uint32_t smallest_scale_code(const format& scale) noexcept {
  return scale.lowest_field == lowest_field::normal ? 0 : 1;
}

/// The tensor scale of formats without tensor scaling.
inline constexpr unpacked no_tensor_scale = unpacked::positive(1, 0);

/// A quotient, rounded to binary32, as a tensor scale: 1 in place of zero, the largest finite
/// number in place of Inf (D-015).
[[nodiscard]] MX_HD constexpr float finite_tensor_scale(float quotient) noexcept {
  constexpr float largest = float_of(0x7F7FFFFF);
  if (quotient == 0) return 1.0F;
  return quotient > largest ? largest : quotient;
}

/// RNE32(amax / (max * bound)), as a tensor scale.
///   amax     largest finite magnitude of the tensor, or of the row
///   returns  a positive finite binary32 number
[[nodiscard]] MX_HD constexpr float tensor_scale_of(const block_format& f,
                                                    const unpacked& amax) noexcept {
  const unpacked bound =
      f.bound == tensor_bound::largest ? largest_of(f.scale) : unpacked::positive(256, 0);
  return finite_tensor_scale(to_binary32(quotient(amax, multiplied(largest_of(f.element), bound))));
}

/// Whether a block can be quantized under a tensor scale: a positive finite number (D-015).
[[nodiscard]] MX_HD constexpr bool is_tensor_scale(const unpacked& tensor) noexcept {
  return tensor.kind == kind::finite && !tensor.negative;
}

/// Nearest scale code of a positive number; saturates.
[[nodiscard]] MX_HD constexpr std::uint32_t nearest_scale(const format& scale,
                                                          const unpacked& value,
                                                          rounding how) noexcept {
  return encode(scale, value, how, overflow::saturate);
}

/// Code of 2^exponent, clamped to E8M0's range first; never zero.
[[nodiscard]] MX_HD constexpr std::uint32_t power_of_two_code(const format& scale,
                                                              int exponent) noexcept {
  const int clamped = e8m0::from_exponent_clamped(exponent).exponent();
  const std::uint32_t code =
      nearest_scale(scale, unpacked::positive(1, clamped), rounding::ties_to_even);
  return larger_of(code, smallest_scale_code(scale));
}

/// amax / (divisor * tensor), truncated with a sticky bit: sufficient for one rounding to a scale
/// format and for comparisons with numbers of up to 28 bits.
[[nodiscard]] MX_HD constexpr unpacked over(const unpacked& amax, const unpacked& divisor,
                                            const unpacked& tensor) noexcept {
  return quotient(amax, multiplied(divisor, tensor));
}

/// Scale code under which the largest element maps to `target`: amax / (target * tensor), rounded.
[[nodiscard]] MX_HD constexpr std::uint32_t mapped_scale(const format& scale, const unpacked& amax,
                                                         const unpacked& target,
                                                         const unpacked& tensor,
                                                         rounding how) noexcept {
  return nearest_scale(scale, over(amax, target, tensor), how);
}

/// Scale code of a block, for the rules that depend on amax alone.
///   amax    finite and not zero      tensor  the tensor scale: is_tensor_scale
///   rule    one that follows_from_amax
[[nodiscard]] MX_HD constexpr std::uint32_t scale_code_of(const block_format& f, scale_rule rule,
                                                          const unpacked& amax,
                                                          const unpacked& tensor) noexcept {
  const bool fractions = f.scale.fraction_bits > 0;
  const unpacked largest = largest_of(f.element);
  if (rule == scale_rule::ideal) {
    return mapped_scale(f.scale, amax, largest, tensor, rounding::ties_to_even);
  }
  if (fractions && rule == scale_rule::static_four) {
    return mapped_scale(f.scale, amax, unpacked::positive(4, 0), tensor, rounding::ties_to_even);
  }
  if (fractions && rule == scale_rule::rceil) {
    return mapped_scale(f.scale, amax, largest, tensor, rounding::away_from_zero);
  }
  if (fractions && rule == scale_rule::floor6) {
    const std::uint32_t code = mapped_scale(f.scale, amax, largest, tensor, rounding::toward_zero);
    return larger_of(code, smallest_scale_code(f.scale));
  }
  // Mapping E2M1's largest element to 4 = 2^emax is the rule `ceil`.
  const scale_rule of_power = rule == scale_rule::static_four ? scale_rule::ceil : rule;
  const unpacked relative = over(amax, unpacked::positive(1, 0), tensor);
  return power_of_two_code(f.scale, shared_exponent(f.element, of_power, relative));
}

/// Product of a scale code's value and the tensor scale; neither is special.
///   tensor  ignored if the format has no tensor scale
[[nodiscard]] MX_HD constexpr scale_ratio ratio_of(const block_format& f, std::uint32_t code,
                                                   const unpacked& tensor) noexcept {
  const unpacked scale = decode(f.scale, code);
  return {f.has_tensor_scale() ? multiplied(scale, tensor) : scale};
}

/// Whether a block under these scales decodes to NaN throughout: one of them is NaN or Inf.
///   tensor  ignored if the format has no tensor scale
[[nodiscard]] MX_HD constexpr bool is_special_scale(const block_format& f, std::uint32_t code,
                                                    const unpacked& tensor) noexcept {
  return decode(f.scale, code).is_special() || (f.has_tensor_scale() && tensor.is_special());
}

/// The unrounded scale amax / max.
[[nodiscard]] MX_HD constexpr scale_ratio exact_ratio(const block_format& f,
                                                      const unpacked& amax) noexcept {
  return {amax, largest_of(f.element)};
}

/// Code of an element under a scale, rounded once from the exact quotient; saturates.
[[nodiscard]] MX_HD constexpr std::uint32_t element_code(const format& element, const unpacked& x,
                                                         const scale_ratio& scale,
                                                         const rounder& how) noexcept {
  if (x.is_zero() || scale.numerator.is_zero()) return signed_code(element, x.negative, 0);
  return encode(element, quotient(multiplied(x, scale.denominator), scale.numerator), how,
                overflow::saturate);
}

static_assert(scale_code_of(block_formats::nvfp4, scale_rule::ideal, unpack(6.0F),
                            no_tensor_scale) == 0x38);  // 1.0
static_assert(scale_code_of(block_formats::mxfp4, scale_rule::floor, unpack(4.0F),
                            no_tensor_scale) == 127);
static_assert(tensor_scale_of(block_formats::nvfp4, unpack(2688.0F)) == 1.0F);
static_assert(tensor_scale_of(block_formats::nvfp4, unpacked{}) == 1.0F);
static_assert(is_tensor_scale(no_tensor_scale) && is_tensor_scale(unpack(0x1p-149F)));
static_assert(!is_tensor_scale(unpack(0.0F)) && !is_tensor_scale(unpack(-1.0F)));

}  // namespace mx
