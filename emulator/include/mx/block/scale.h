// SPDX-License-Identifier: Apache-2.0
// mx/block/scale.h: the shared exponent of a block, chosen from its amax.
// Source: OCP Microscaling Formats (MX) v1.0, clause 6.3 (floor); torchao, mx_formats (ceil, even);
// arXiv 2605.20402, where rceil is called ceil; Brevitas, RoundMidMaxSte (midmax); arXiv 2603.08713
// (overflow_aware); Triton, ROUND_DOWN of its first versions (floor6). Open choices: D-003 (all
// zeros), D-004 (clamp), D-014 (overflow_aware at equality).
#pragma once
#include "mx/number/e8m0.h"
#include "mx/number/element.h"

namespace mx {

/// How a block's scale follows from its values; e is the shared exponent, max the largest element
/// value, m the fraction bits of the element format.
///   floor           e = floor(log2(amax)) - emax: the largest elements may saturate
///   ceil            e = ceil(log2(amax)) - emax
///   even            as floor, plus one where amax / 2^floor(log2(amax)) >= 2 - 2^-(m + 1)
///   rceil           the smallest e with max * 2^e >= amax: nothing saturates
///   floor6          the largest e with max * 2^e <= amax
///   midmax          the smallest e with (max + 2^(emax + 1)) / 2 * 2^e >= amax
///   overflow_aware  the smallest e with (max + 2^(emax - m) / 2) * 2^e > amax: nothing rounds
///                   beyond max
///   static_four     the largest element is mapped to 4 instead of max (E2M1)
///   ideal           amax / max, rounded to nearest in the scale's format
///   mse             of rceil's scale (ideal's in a scale format with fraction bits) and its two
///                   neighbours the one with the smallest squared error
///   quest           from the standard deviation instead of amax: the scale that makes the expected
///                   squared error of Gaussian values small
///   four_over_six_* of the largest element mapped to 6 or to 4, what errs less: by the sum of
///                   squares, the sum of magnitudes, or the largest magnitude
/// In a scale format with fraction bits rceil and floor6 mean the smallest scale with
/// max * scale >= amax and the largest with max * scale <= amax.
enum class scale_rule : std::uint8_t {
  floor,
  rceil,
  ceil,
  even,
  floor6,
  midmax,
  overflow_aware,
  static_four,
  ideal,
  mse,
  quest,
  four_over_six_mse,
  four_over_six_mae,
  four_over_six_abs_max
};

/// What a rule's scale follows from.
///   none        the value belongs to no rule
///   exponent    amax alone, a power of two: exponent_bound_of
///   quotient    amax alone, divided and rounded in the scale's format: scale_code_of
///   neighbours  every element: the best of neighbouring scales
///   targets     every element: the best of amax over 6 and amax over 4
///   deviation   every element: the standard deviation
enum class scale_basis : std::uint8_t { none, exponent, quotient, neighbours, targets, deviation };

/// Returns scale_basis::none for a value that is no enumerator.
[[nodiscard]] MX_HD constexpr scale_basis basis_of(scale_rule rule) noexcept {
  switch (rule) {
    case scale_rule::floor:
    case scale_rule::rceil:
    case scale_rule::ceil:
    case scale_rule::even:
    case scale_rule::floor6:
    case scale_rule::midmax:
    case scale_rule::overflow_aware:
      return scale_basis::exponent;
    case scale_rule::static_four:
    case scale_rule::ideal:
      return scale_basis::quotient;
    case scale_rule::mse:
      return scale_basis::neighbours;
    case scale_rule::quest:
      return scale_basis::deviation;
    case scale_rule::four_over_six_mse:
    case scale_rule::four_over_six_mae:
    case scale_rule::four_over_six_abs_max:
      return scale_basis::targets;
  }
  return scale_basis::none;
}

/// Whether a rule gives a power of two that depends on amax alone.
[[nodiscard]] MX_HD constexpr bool is_power_of_two_rule(scale_rule rule) noexcept {
  return basis_of(rule) == scale_basis::exponent;
}

/// Whether a rule's scale depends on amax alone.
[[nodiscard]] MX_HD constexpr bool follows_from_amax(scale_rule rule) noexcept {
  return is_power_of_two_rule(rule) || basis_of(rule) == scale_basis::quotient;
}

/// Where a rule takes the next exponent, within the binade of amax.
///   significand  in quarters of the last step of the format: the unit is 2^(emax - m - 2)
///   at_bound     whether amax equal to the bound takes the next exponent too
struct exponent_bound {
  std::uint64_t significand;
  bool at_bound;
};

/// Not for floor, which has no bound. Of floor6 the bound takes the exponent of floor, else one
/// less.
[[nodiscard]] MX_HD constexpr exponent_bound exponent_bound_of(const format& f,
                                                               scale_rule rule) noexcept {
  const std::uint64_t power = std::uint64_t{4} << f.fraction_bits;  // 2^emax
  const std::uint64_t largest = 4 * f.max_significand();
  switch (rule) {
    case scale_rule::ceil:
      return {power, false};
    case scale_rule::even:
      return {2 * power - 2, true};
    case scale_rule::midmax:
      return {(largest + 2 * power) / 2, false};
    case scale_rule::overflow_aware:
      return {largest + 2, true};
    case scale_rule::floor6:
      return {largest, true};
    default:
      return {largest, false};  // rceil
  }
}

/// Shared exponent of a block whose elements have format f, before it is clamped.
///   rule  a power-of-two rule
///   amax  finite and not zero
[[nodiscard]] MX_HD constexpr int shared_exponent(const format& f, scale_rule rule,
                                                  const unpacked& amax) noexcept {
  const int lowest = amax.floor_log2() - f.emax();
  if (rule == scale_rule::floor) return lowest;
  const exponent_bound bound = exponent_bound_of(f, rule);
  const int order = compare_magnitudes(
      amax, unpacked::positive(bound.significand, f.emax() - f.fraction_bits - 2 + lowest));
  const int next = order > 0 || (order == 0 && bound.at_bound) ? 1 : 0;
  return rule == scale_rule::floor6 ? lowest - 1 + next : lowest + next;
}

/// E8M0 scale of a block whose elements have format f.
///   rule     a power-of-two rule
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
static_assert(shared_exponent<formats::e2m1>(scale_rule::even, unpack(7.0F)) == 1);
static_assert(shared_exponent<formats::e2m1>(scale_rule::midmax, unpack(7.0F)) == 0);
static_assert(shared_exponent<formats::e2m1>(scale_rule::overflow_aware, unpack(7.0F)) == 1);
static_assert(shared_exponent<formats::e2m1>(scale_rule::floor6, unpack(5.0F)) == -1);
static_assert(shared_exponent<formats::e4m3>(scale_rule::midmax, unpack(480.0F)) == 0);

}  // namespace mx
