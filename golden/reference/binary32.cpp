// SPDX-License-Identifier: Apache-2.0
// golden/reference/binary32.cpp: FP32 patterns as exact values; values rounded to FP32, BF16.
#include "golden/reference/binary32.h"

#include <algorithm>
#include <bit>

namespace golden {
namespace {

constexpr int bias = 127;  // FP32 and BF16 have the same exponent field
constexpr int smallest_normal_exponent = 1 - bias;

// Every power of two at which the exponent of a rounded result can change.
const std::vector<rational>& binades() {
  static const std::vector<rational> powers = [] {
    std::vector<rational> list;
    for (int e = smallest_normal_exponent; e <= bias + 1; ++e) list.push_back(power_of_two(e));
    return list;
  }();
  return powers;
}

// The exponent e with 2^e <= magnitude < 2^(e+1), held inside [-126, 128].
int exponent_of(const rational& magnitude) {
  const auto above = std::upper_bound(binades().begin(), binades().end(), magnitude);
  const auto below = static_cast<int>(above - binades().begin()) - 1;
  return smallest_normal_exponent + std::max(below, 0);
}

// The nearest integer, ties to even.
integer nearest_integer(const rational& magnitude) {
  const integer low = floor_of(magnitude);
  const rational rest = magnitude - rational(low);
  const rational half(1, 2);
  const bool low_is_even = low % 2 == 0;
  if (rest < half || (rest == half && low_is_even)) return low;
  return low + 1;
}

// The exponent and fraction fields of the nearest number, in one word below the sign bit. Counting
// in units of the last place, a carry out of the fraction is the next exponent, and the one after
// the largest is Inf.
std::uint32_t round_magnitude(const rational& magnitude, int fraction_bits) {
  const std::uint32_t infinity = 255U << fraction_bits;
  const int exponent = exponent_of(magnitude);
  if (exponent > bias) return infinity;
  const integer units = nearest_integer(magnitude / power_of_two(exponent - fraction_bits));
  const auto count = units.convert_to<std::uint32_t>();  // at most 2^(fraction_bits + 1)
  const auto binade = static_cast<std::uint32_t>(exponent - smallest_normal_exponent);
  return binade * (1U << fraction_bits) + count;
}

std::uint32_t round_to(const rational& value, zero_sign zero, int fraction_bits) {
  const bool negative = value == 0 ? zero == zero_sign::negative : value < 0;
  const std::uint32_t sign = negative ? 1U << (fraction_bits + 8) : 0U;
  return sign + round_magnitude(abs(value), fraction_bits);
}

}  // namespace

std::uint32_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }
float float_of(std::uint32_t bits) { return std::bit_cast<float>(bits); }
float nan_float() { return float_of(canonical_nan); }

bool is_negative(float x) { return bits_of(x) >= 0x80000000U; }
bool is_finite(float x) { return bits_of(x) / 0x800000U % 256U != 255U; }

bool all_finite(const std::vector<float>& values) {
  return std::all_of(values.begin(), values.end(), is_finite);
}

signed_value value_of(float x) {
  const std::uint32_t bits = bits_of(x);
  const std::uint32_t fraction = bits % 0x800000U;
  const int field = static_cast<int>(bits / 0x800000U % 256U);
  const std::uint32_t hidden = field == 0 ? 0U : 0x800000U;
  const int exponent = field == 0 ? smallest_normal_exponent : field - bias;
  return {is_negative(x), rational(fraction + hidden) * power_of_two(exponent - 23)};
}

std::vector<signed_value> values_of(const std::vector<float>& values) {
  std::vector<signed_value> exact;
  for (const float x : values) exact.push_back(value_of(x));
  return exact;
}

std::uint32_t round_to_binary32(const rational& value, zero_sign zero) {
  return round_to(value, zero, 23);
}

std::uint16_t round_to_bfloat16(const rational& value, zero_sign zero) {
  return static_cast<std::uint16_t>(round_to(value, zero, 7));
}

float rounded_like(const rational& value, float like) {
  const auto sign = is_negative(like) ? zero_sign::negative : zero_sign::positive;
  const float rounded = float_of(round_to_binary32(value, sign));
  if (value_of(rounded).magnitude != 0) return rounded;
  return float_of(round_to_binary32(0, sign));
}

}  // namespace golden
