// SPDX-License-Identifier: Apache-2.0
// golden/reference/rational.h: exact rational numbers, the only arithmetic of the golden reference.
#pragma once
#include <boost/multiprecision/cpp_int.hpp>

namespace golden {

using integer = boost::multiprecision::cpp_int;
using rational = boost::multiprecision::cpp_rational;

/// 2^exponent, for any exponent.
[[nodiscard]] inline rational power_of_two(int exponent) {
  const integer power = integer(1) << (exponent < 0 ? -exponent : exponent);
  return exponent < 0 ? rational(integer(1), power) : rational(power);
}

/// Greatest integer that is not above a non-negative value.
[[nodiscard]] inline integer floor_of(const rational& value) {
  return boost::multiprecision::numerator(value) / boost::multiprecision::denominator(value);
}

/// The largest e with 2^e <= value, and the smallest with 2^e >= value.
///   value   positive
///   errors  std::out_of_range outside [2^-1024, 2^1024)
[[nodiscard]] int floor_log2(const rational& value);
[[nodiscard]] int ceil_log2(const rational& value);

/// A number together with the sign that it would keep as a zero.
struct signed_value {
  bool negative = false;
  rational magnitude;  ///< never below zero

  [[nodiscard]] rational value() const { return negative ? rational(-magnitude) : magnitude; }
};

}  // namespace golden
