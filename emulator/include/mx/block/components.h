// SPDX-License-Identifier: Apache-2.0
// mx/block/components.h: the exact parts of a quantization error, and the two meanings of toggling
// them.
// Source: arXiv 2605.20402 (scale, deadzone, grid). e_clip is ours, for rules that can put the
// scale below the ideal one. Open choices: D-007 (ties at the edge of the deadzone), D-008.
#pragma once
#include "mx/block/block.h"

namespace mx {

/// Parts of Q(x) - x, where Q* quantizes with the unrounded scale s* = amax / 6:
///   scale     Q - Q* where |x| <= 6 s
///   clip      Q - Q* where |x| > 6 s: empty unless s < s*
///   deadzone  -x where Q* is zero
///   grid      Q* - x elsewhere
enum class component : std::uint8_t {
  none = 0,
  scale = 1,
  deadzone = 2,
  grid = 4,
  clip = 8,
  all = 15
};

/// Meaning of "switching a part of the error on".
///   none       the real quantizer
///   injection  x plus the chosen parts of the error
///   operation  nested quantizer stages, some of which are switched off
enum class toggle : std::uint8_t { none, injection, operation };

[[nodiscard]] MX_HD constexpr component operator|(component a, component b) noexcept {
  return static_cast<component>(static_cast<int>(a) | static_cast<int>(b));
}
[[nodiscard]] MX_HD constexpr component operator&(component a, component b) noexcept {
  return static_cast<component>(static_cast<int>(a) & static_cast<int>(b));
}
[[nodiscard]] MX_HD constexpr bool contains(component set, component part) noexcept {
  return (set & part) == part;
}

/// Element nearest to 6 x / amax: the element of Q*.
///   amax  finite, not below |x|
[[nodiscard]] MX_HD constexpr e2m1 quantize_element_ideally(const unpacked& x,
                                                            const unpacked& amax) noexcept {
  return e2m1::nearest(quotient(multiplied(x, 6), amax));
}

/// One element, its quantized value and its ideally quantized value, all exact.
/// The unit of the three integers is 2^exponent / 12; they carry the sign of x.
struct compared_element {
  int exponent = 0;
  std::int64_t x = 0, quantized = 0, ideal = 0;
  bool clipped = false;

  [[nodiscard]] MX_HD constexpr bool dead() const noexcept { return ideal == 0; }
};

/// Compares one element with its quantized values.
///   x      zero or finite, from binary32
///   amax   of its block: finite, not zero, not below |x|
///   scale  chosen by any scale rule but quest
/// Bounds: x < 2^24 units/12. Where Q is not zero, scale <= 4|x|, so 12 Q < 6 * 12 * 2^26; the
/// shift is not negative since scale >= |x| / 12 and x has its unit 23 below, or scale >= 2^-127
/// where x is subnormal. Where Q* is not zero, amax <= 24 |x|, so 12 Q* < 12 * 2^29. All below
/// 2^34.
[[nodiscard]] MX_HD constexpr compared_element compare(const unpacked& x, const unpacked& amax,
                                                       e8m0 scale) noexcept {
  if (x.is_zero()) return {};
  compared_element result{.exponent = x.exponent, .x = with_sign(x.negative, x.significand * 12)};
  const unpacked quantized = value_of(quantize_element(x, scale), scale);
  const unpacked ideal = quantize_element_ideally(x, amax).value();
  if (!quantized.is_zero()) {
    result.quantized =
        with_sign(x.negative, quantized.significand * 12 << (quantized.exponent - x.exponent));
  }
  if (!ideal.is_zero()) {
    // Q* = amax / 6 * g / 2 with the integer g = 2 * (value of the ideal code).
    const std::uint64_t doubled = ideal.significand << (ideal.exponent + 1);
    result.ideal =
        with_sign(x.negative, amax.significand * doubled << (amax.exponent - x.exponent));
  }
  result.clipped = compare_magnitudes(x, unpacked::positive(6, scale.exponent())) > 0;
  return result;
}

/// The parts of one element's error in units of 2^exponent / 12. They add up to 12 (Q - x).
struct error_parts {
  int exponent = 0;
  std::int64_t scale = 0, deadzone = 0, grid = 0, clip = 0;
  bool scale_dead = false;  ///< Q is zero and Q* is not: zeroed by the rounded scale alone
};

[[nodiscard]] MX_HD constexpr error_parts parts_of(const compared_element& e) noexcept {
  error_parts parts{.exponent = e.exponent, .scale_dead = e.quantized == 0 && e.ideal != 0};
  (e.clipped ? parts.clip : parts.scale) = e.quantized - e.ideal;
  (e.dead() ? parts.deadzone : parts.grid) = e.ideal - e.x;
  return parts;
}

/// Whether the parts add up to 12 (Q - x), exactly.
///   code, scale  written by the quantizer: Q is decoded from them alone
[[nodiscard]] MX_HD constexpr bool parts_add_up(const compared_element& e, const unpacked& x,
                                                e2m1 code, e8m0 scale) noexcept {
  if (x.is_zero()) return code.value().is_zero();
  const unpacked q = value_of(code, scale);
  // As in compare(): where Q is not zero its unit is not below that of x, and 12 Q < 2^34.
  const std::uint64_t twelfths_of_q =
      q.is_zero() ? 0 : q.significand * 12 << (q.exponent - x.exponent);
  const error_parts parts = parts_of(e);
  return parts.scale + parts.deadzone + parts.grid + parts.clip ==
         with_sign(q.negative, twelfths_of_q) - with_sign(x.negative, x.significand * 12);
}

/// RNE32(twelfths * 2^exponent / 12); a result that is zero takes the sign of x (D-010).
[[nodiscard]] MX_HD constexpr float round_twelfths(std::int64_t twelfths, int exponent,
                                                   bool x_negative) noexcept {
  const float rounded =
      to_binary32(quotient(unpacked_of(twelfths, exponent), unpacked::positive(12, 0)));
  if (rounded != 0) return rounded;
  return x_negative ? -0.0F : 0.0F;
}

/// x plus the chosen parts of its error, exactly, then rounded once to FP32.
///   chosen  all returns the quantized value, none returns x
[[nodiscard]] MX_HD constexpr float inject(const unpacked& x, const unpacked& amax, e8m0 scale,
                                           component chosen) noexcept {
  const compared_element e = compare(x, amax, scale);
  std::int64_t sum = e.x;
  if (contains(chosen, e.clipped ? component::clip : component::scale))
    sum += e.quantized - e.ideal;
  if (contains(chosen, e.dead() ? component::deadzone : component::grid)) sum += e.ideal - e.x;
  return round_twelfths(sum, e.exponent, x.negative);
}

/// The quantizer as nested stages, of which only the chosen ones are applied.
///   scale     on: the rule's E8M0 scale, beyond 6 s an element is clamped; off: s* = amax / 6
///   deadzone  on: elements that quantize to zero become zero; off: they pass unchanged
///   grid      on: other elements are rounded to the grid; off: they pass unchanged
///   clip      not a stage of its own: it is part of the scale
[[nodiscard]] MX_HD constexpr float operate(const unpacked& x, const unpacked& amax, e8m0 scale,
                                            component chosen) noexcept {
  const compared_element e = compare(x, amax, scale);
  const bool actual = contains(chosen, component::scale);
  const std::int64_t value = actual ? e.quantized : e.ideal;
  if (value == 0) {
    return round_twelfths(contains(chosen, component::deadzone) ? 0 : e.x, e.exponent, x.negative);
  }
  const bool replaced = contains(chosen, component::grid) || (actual && e.clipped);
  return round_twelfths(replaced ? value : e.x, e.exponent, x.negative);
}

}  // namespace mx
