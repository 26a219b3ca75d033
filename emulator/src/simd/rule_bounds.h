// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/rule_bounds.h: the exponents of scales from the patterns of amax, for every
// kernel on vectors. Equals mx::shared_exponent.
#pragma once
#include <cstdint>

#include "mx/block/scale.h"

namespace mx {

/// The bounds of a rule on floating-point patterns: the exponent field of amax, `lowered`, is one
/// more where its fraction field is at least `raise_from`.
struct rule_bounds {
  int lowered = 0;
  std::uint64_t raise_from = 0;

  /// Addend that carries out of a fraction field of at least `raise_from`.
  ///   fraction_bits  those for which the bounds were computed
  [[nodiscard]] constexpr std::uint64_t carry(int fraction_bits) const noexcept {
    return (std::uint64_t{1} << fraction_bits) - raise_from;
  }
};

/// Whether the exponent of an E8M0 scale follows from such bounds.
[[nodiscard]] constexpr bool has_rule_bounds(scale_rule rule) noexcept {
  return is_power_of_two_rule(rule) || rule == scale_rule::static_four;
}

/// Whether a scale with fraction bits is amax over the largest element, or over 4, rounded.
[[nodiscard]] constexpr bool is_divided_rule(scale_rule rule) noexcept {
  return rule == scale_rule::ideal || rule == scale_rule::static_four ||
         rule == scale_rule::rceil || rule == scale_rule::floor6;
}

/// Whether scales are chosen by the errors of the elements (simd/scale_search-inl.h).
[[nodiscard]] constexpr bool is_searched_rule(scale_rule rule) noexcept {
  return basis_of(rule) == scale_basis::neighbours || basis_of(rule) == scale_basis::targets;
}

/// Requires has_rule_bounds(rule).
///   fraction_bits  of amax's patterns: 23 for binary32, 52 for binary64
[[nodiscard]] constexpr rule_bounds rule_bounds_of(const format& f, scale_rule rule,
                                                   int fraction_bits = 23) noexcept {
  // Mapping E2M1's largest element to 4 = 2^emax is the rule `ceil`.
  const scale_rule of_power = rule == scale_rule::static_four ? scale_rule::ceil : rule;
  rule_bounds result{f.emax() + (rule == scale_rule::floor6 ? 1 : 0),
                     std::uint64_t{1} << fraction_bits};  // beyond every fraction: never
  if (of_power == scale_rule::floor) return result;
  const exponent_bound bound = exponent_bound_of(f, of_power);
  const std::uint64_t fraction = (bound.significand - (std::uint64_t{4} << f.fraction_bits))
                                 << (fraction_bits - 2 - f.fraction_bits);
  result.raise_from = fraction + (bound.at_bound ? 0 : 1);
  return result;
}

static_assert(rule_bounds_of(formats::e2m1, scale_rule::rceil).raise_from == 0x400001);
static_assert(rule_bounds_of(formats::e2m1, scale_rule::even).raise_from == 0x600000);
static_assert(rule_bounds_of(formats::e2m1, scale_rule::midmax).raise_from == 0x600001);
static_assert(rule_bounds_of(formats::e2m1, scale_rule::ceil).raise_from == 1);
static_assert(rule_bounds_of(formats::e2m1, scale_rule::floor).carry(23) == 0);
static_assert(rule_bounds_of(formats::e2m1, scale_rule::rceil, 52).carry(52) == 0x7FFFFFFFFFFFF);

}  // namespace mx
