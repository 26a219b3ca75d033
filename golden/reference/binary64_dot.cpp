// SPDX-License-Identifier: Apache-2.0
// golden/reference/binary64_dot.cpp: a b + c of binary64 numbers, and the dot product that
// repeats it.
#include "golden/reference/binary64_dot.h"

#include <algorithm>

#include "golden/reference/term.h"

namespace golden {
namespace {

constexpr int precision = 53;
constexpr int emin = -1022;
constexpr int emax = 1023;
constexpr std::uint64_t hidden = std::uint64_t{1} << (precision - 1);
constexpr std::uint64_t infinity = std::uint64_t{2047} * hidden;
constexpr std::uint64_t quiet_nan = infinity + hidden / 2;
constexpr std::uint64_t minus = std::uint64_t{1} << 63;

term read(std::uint64_t bits) {
  const bool negative = bits >= minus;
  const std::uint64_t magnitude = negative ? bits - minus : bits;
  if (magnitude > infinity) return nan_term();
  if (magnitude == infinity) return infinite_term(negative);
  // Subnormals count in the unit of the smallest normal binade.
  const auto binade = static_cast<int>(std::max<std::uint64_t>(magnitude / hidden, 1));
  const std::uint64_t significand = magnitude % hidden + (magnitude >= hidden ? hidden : 0);
  dyadic value{significand, binade - 1 + emin - (precision - 1)};
  if (negative) value = -value;
  return {number_kind::finite, negative, value, 0};
}

std::uint64_t signed_bits(bool negative, std::uint64_t magnitude) {
  return negative ? minus + magnitude : magnitude;
}

// Multiples of the last place of x's binade: the one below, or the one above where x is nearer to
// it or in the middle and the lower one is odd.
std::uint64_t nearest_bits(const dyadic& x) {
  const int exponent = std::max(floor_log2(x), emin);
  if (exponent > emax) return infinity;
  const int unit = exponent - (precision - 1);
  dyadic near = truncated(x, unit);
  const dyadic beyond_half = x + -near + dyadic{-1, unit - 1};
  const bool odd = near.count % 2 != 0;
  if (beyond_half.is_zero() ? odd : !beyond_half.is_negative()) ++near.count;
  // Counted on from the first number of the binade below; a carry reaches the next one.
  return static_cast<std::uint64_t>(exponent - emin) * hidden +
         near.count.convert_to<std::uint64_t>();
}

}  // namespace

std::uint64_t fused_multiply_add_64(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const std::vector<term> terms{product(read(a), read(b)), read(c)};
  if (const auto special = special_sum(terms)) {
    if (special->kind == number_kind::nan) return quiet_nan;
    return signed_bits(special->negative, infinity);
  }
  const dyadic sum = exact_sum(terms);
  if (sum.is_zero()) return signed_bits(zero_sum_is_negative(terms), 0);
  return signed_bits(sum.is_negative(), nearest_bits(magnitude_of(sum)));
}

std::uint64_t dot_64(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
                     std::uint64_t c) {
  for (std::size_t k = 0; k < a.size(); ++k) c = fused_multiply_add_64(a[k], b[k], c);
  return c;
}

}  // namespace golden
