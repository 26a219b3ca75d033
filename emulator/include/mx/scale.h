// SPDX-License-Identifier: Apache-2.0
// mx/scale.h: the shared exponent of a block, chosen from its amax.
// Source: OCP Microscaling Formats (MX) v1.0, clause 6.3 (floor); arXiv 2605.20402, where
// rceil is called ceil. Open choices: D-003 (all zeros), D-004 (clamp).
#pragma once
#include "mx/e8m0.h"
#include "mx/element.h"

namespace mx {

///   floor  exponent = floor(log2(amax)) - emax: the largest elements may saturate
///   rceil  exponent = the smallest e with max * 2^e >= amax: nothing saturates
enum class scale_rule : std::uint8_t { floor, rceil };

/// Shared exponent of a block whose elements have format f, before it is clamped.
///   amax  finite and not zero
[[nodiscard]] MX_HD constexpr int shared_exponent(const format& f, scale_rule rule,
                                                  const unpacked& amax) noexcept {
  const int lowest = amax.floor_log2() - f.emax();
  if (rule == scale_rule::floor) return lowest;
  const unpacked largest =
      unpacked::finite(false, f.max_significand(), f.emax() - f.fraction_bits + lowest);
  return compare_magnitudes(largest, amax) >= 0 ? lowest : lowest + 1;
}

/// Scale of a block whose elements have format f.
///   amax     zero or finite (a block with NaN or Inf has no amax: D-005)
///   returns  never NaN; an all-zero block takes the smallest scale
[[nodiscard]] MX_HD constexpr e8m0 shared_scale(const format& f, scale_rule rule,
                                                const unpacked& amax) noexcept {
  if (amax.is_zero()) return e8m0::smallest();
  return e8m0::from_exponent_clamped(shared_exponent(f, rule, amax));
}

template <format F>
[[nodiscard]] MX_HD constexpr int shared_exponent(scale_rule rule, const unpacked& amax) noexcept {
  return shared_exponent(F, rule, amax);
}
template <format F>
[[nodiscard]] MX_HD constexpr e8m0 shared_scale(scale_rule rule, const unpacked& amax) noexcept {
  return shared_scale(F, rule, amax);
}

static_assert(shared_scale<formats::e2m1>(scale_rule::floor, unpack(4.0F)).exponent() == 0);
static_assert(shared_scale<formats::e2m1>(scale_rule::floor, unpack(0x1.fffffep+2F)).exponent() ==
              0);  // a logarithm rounded to FP32 would say 1
static_assert(shared_scale<formats::e2m1>(scale_rule::rceil, unpack(6.0F)).exponent() == 0);
static_assert(shared_scale<formats::e2m1>(scale_rule::rceil, unpack(0x1.800002p+2F)).exponent() ==
              1);
static_assert(shared_scale<formats::e2m1>(scale_rule::rceil, unpack(0.0F)) == e8m0::smallest());

}  // namespace mx
