// SPDX-License-Identifier: Apache-2.0
// golden/reference/output_format.cpp: the one rounding at the end of a sum.
#include "golden/reference/output_format.h"

namespace golden {
namespace {

std::uint32_t sign_bit(const output_format& to, bool negative) {
  return negative ? 1U << (to.width - 1) : 0U;
}

std::uint32_t infinity_of(const output_format& to) {
  const auto fields = static_cast<std::uint32_t>(to.emax - to.emin + 2);
  return fields << (to.fraction_bits + to.unused_bits);
}

// One of the two multiples of 2^unit around a magnitude.
dyadic nearby_multiple(const dyadic& magnitude, int unit, rounding direction) {
  dyadic lower = truncated(magnitude, unit);
  if (direction == rounding::toward_zero) return lower;
  const dyadic beyond_half = magnitude + -lower + dyadic{-1, unit - 1};
  const bool lower_is_odd = lower.count % 2 != 0;
  const bool above_half = !beyond_half.is_zero() && !beyond_half.is_negative();
  if (above_half || (beyond_half.is_zero() && lower_is_odd)) ++lower.count;
  return lower;
}

rounded zero_result(const output_format& to, bool negative) {
  const bool minus = negative && to.zeros == zero_results::either_sign;
  return {sign_bit(to, minus), {number_kind::finite, minus, {}, 0}};
}

// Multiples of the last place count on from one binade to the next: a carry out of the fraction is
// the next exponent.
std::uint32_t pattern_of(const output_format& to, const dyadic& multiple) {
  const auto binade = static_cast<std::uint32_t>(multiple.unit + to.fraction_bits - to.emin);
  const auto places = multiple.count.convert_to<std::uint32_t>();  // at most 2^(fraction_bits + 1)
  return ((binade << to.fraction_bits) + places) << to.unused_bits;
}

rounded nonzero_result(const output_format& to, const dyadic& sum) {
  const bool negative = sum.is_negative();
  const int exponent = exponent_in(to.emin, sum);
  if (exponent > to.emax) return special_result(to, infinite_term(negative));
  const dyadic near = nearby_multiple(magnitude_of(sum), exponent - to.fraction_bits, to.direction);
  if (near.is_zero()) return zero_result(to, negative);
  const std::uint32_t pattern = pattern_of(to, near);
  if (pattern >= infinity_of(to)) return special_result(to, infinite_term(negative));
  const int read_exponent = exponent_in(to.emin, near);
  return {sign_bit(to, negative) | pattern,
          {number_kind::finite, negative, negative ? -near : near, read_exponent}};
}

}  // namespace

rounded special_result(const output_format& to, const term& special) {
  if (special.kind == number_kind::nan) return {to.nan, special};
  return {sign_bit(to, special.negative) | infinity_of(to), special};
}

rounded rounded_sum(const output_format& to, const dyadic& sum, const std::vector<term>& terms) {
  if (const std::optional<term> special = special_sum(terms)) return special_result(to, *special);
  if (sum.is_zero()) return zero_result(to, zero_sum_is_negative(terms));
  return nonzero_result(to, sum);
}

rounded flushed(const output_format& to, const rounded& result) {
  const term& x = result.value;
  const bool normal =
      x.kind != number_kind::finite || x.is_zero() || floor_log2(x.value) >= to.emin;
  return normal ? result : zero_result(to, x.negative);
}

rounded rounded_exact_sum(const output_format& to, const std::vector<term>& terms) {
  return rounded_sum(to, exact_sum(terms), terms);
}

}  // namespace golden
