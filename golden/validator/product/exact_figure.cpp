// SPDX-License-Identifier: Apache-2.0
// golden/validator/product/exact_figure.cpp: exact numbers of products and their bounds.
#include "exact_figure.h"

#include <algorithm>

namespace golden::validator {
namespace {

using mx::wide_fixed;

/// The magnitude of a two's complement number.
wide_fixed magnitude_of(wide_fixed x) {
  if (!x.is_negative()) return x;
  std::uint64_t carry = 1;
  for (std::uint64_t& limb : x.limb) {
    limb = ~limb + carry;
    carry = carry != 0 && limb == 0 ? 1 : 0;
  }
  return x;
}

int lowest_bit(const wide_fixed& x) {
  for (int i = 0; i < wide_fixed::limbs; ++i) {
    if (x.limb[i] != 0) return 64 * i + __builtin_ctzll(x.limb[i]);
  }
  return -1;
}

/// The four bits from `place` on.
unsigned digit_at(const wide_fixed& x, int place) {
  const int limb = place / 64, shift = place % 64;
  std::uint64_t bits = x.limb[limb] >> shift;
  if (shift > 60 && limb + 1 < wide_fixed::limbs) bits |= x.limb[limb + 1] << (64 - shift);
  return static_cast<unsigned>(bits & 15);
}

std::string with_power(const std::string& digits, int exponent) {
  return exponent == 0 ? digits : digits + " * 2^" + std::to_string(exponent);
}

/// Significands below 2^62 and 2^32, times powers of two: negative, zero or positive as x <, =,
/// > y.
int compare(mx::wide_integer x, int exponent_x, mx::wide_integer y, int exponent_y) {
  if (x == 0 || y == 0) return (x > 0 ? 1 : 0) - (y > 0 ? 1 : 0);
  const auto top = [](mx::wide_integer v) {
    const auto high = static_cast<std::uint64_t>(v >> 64);
    return high != 0 ? 64 + mx::bit_width(high) : mx::bit_width(static_cast<std::uint64_t>(v));
  };
  const int binade_x = exponent_x + top(x), binade_y = exponent_y + top(y);
  if (binade_x != binade_y) return binade_x < binade_y ? -1 : 1;
  // Same binade and below 2^94: moved to the smaller exponent, neither exceeds 94 bits.
  if (exponent_x > exponent_y) x <<= exponent_x - exponent_y;
  if (exponent_y > exponent_x) y <<= exponent_y - exponent_x;
  return x < y ? -1 : (x > y ? 1 : 0);
}

}  // namespace

wide_fixed multiplied(const wide_fixed& fixed, std::uint32_t factor) {
  // Modulo 2^1280, where two's complement multiplication is ordinary multiplication.
  wide_fixed result;
  mx::wide_integer carry = 0;
  for (int i = 0; i < wide_fixed::limbs; ++i) {
    carry += static_cast<mx::wide_integer>(fixed.limb[i]) * factor;
    result.limb[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
  return result;
}

void add_to(wide_fixed& fixed, const mx::unpacked& x) {
  if (!x.is_zero()) fixed.add(x.negative, x.significand, x.exponent);
}

std::string exact_text(const wide_fixed& fixed, int shift) {
  const wide_fixed x = magnitude_of(fixed);
  const int lowest = lowest_bit(x);
  if (lowest < 0) return "0";
  std::string digits;
  for (int place = lowest; place < 64 * wide_fixed::limbs; place += 4) {
    digits += "0123456789abcdef"[digit_at(x, place)];
  }
  digits.erase(digits.find_last_not_of('0') + 1);
  std::reverse(digits.begin(), digits.end());
  return with_power((fixed.is_negative() ? "-0x" : "0x") + digits,
                    lowest + wide_fixed::lowest_exponent + shift);
}

std::string exact_text(const upper_bound& x) {
  // The bits as a fixed-point number, at a place with enough room.
  wide_fixed fixed;
  fixed.add(false, x.significand(), 0);
  return exact_text(fixed, x.exponent());
}

bool exceeds(const mx::unpacked& error, int shift, const upper_bound& bound) {
  return mx::compare_magnitudes(error.scaled_by_power_of_two(shift), bound.value()) > 0;
}

bool error_ratio::is_worse_than(const error_ratio& other) const {
  // e1 / b1 > e2 / b2, as e1 b2 > e2 b1.
  const auto wide = [](std::uint64_t x) { return static_cast<mx::wide_integer>(x); };
  const int order = compare(wide(error.significand) * wide(other.bound.significand()),
                            error.exponent + other.bound.exponent(),
                            wide(other.error.significand) * wide(bound.significand()),
                            other.error.exponent + bound.exponent());
  return order > 0;
}

std::uint64_t error_ratio::whole_times() const {
  constexpr std::uint64_t most = std::uint64_t{1} << 62;
  if (error.is_zero()) return 0;
  if (bound.is_zero()) return most;
  const int apart = error.exponent - bound.exponent();
  mx::wide_integer above = static_cast<mx::wide_integer>(error.significand);
  mx::wide_integer below = static_cast<mx::wide_integer>(bound.significand());
  if (apart > 62 || apart < -94) return apart > 0 ? most : 0;
  if (apart > 0) above <<= apart;                 // below 2^124
  if (apart < 0) below <<= std::min(-apart, 94);  // below 2^126
  const mx::wide_integer times = above / below;
  return times > static_cast<mx::wide_integer>(most) ? most : static_cast<std::uint64_t>(times);
}

}  // namespace golden::validator
