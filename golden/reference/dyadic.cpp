// SPDX-License-Identifier: Apache-2.0
// golden/reference/dyadic.cpp: exact numbers whose denominator is a power of two.
#include "golden/reference/dyadic.h"

#include <algorithm>
#include <stdexcept>

namespace golden {
namespace {

// The count of a number in units that divide its own.
integer count_in(const dyadic& x, int unit) {
  return unit == x.unit ? x.count : integer(x.count << (x.unit - unit));
}

}  // namespace

dyadic dyadic_of(const rational& value) {
  const integer denominator = boost::multiprecision::denominator(value);
  const auto places = static_cast<int>(msb(denominator));
  if (denominator != integer(1) << places) {
    throw std::invalid_argument("golden::dyadic_of: the denominator is no power of two");
  }
  return {boost::multiprecision::numerator(value), -places};
}

rational rational_of(const dyadic& x) { return rational(x.count) * power_of_two(x.unit); }

dyadic operator+(const dyadic& x, const dyadic& y) {
  const int unit = std::min(x.unit, y.unit);
  return {count_in(x, unit) + count_in(y, unit), unit};
}

dyadic operator-(const dyadic& x) { return {-x.count, x.unit}; }

dyadic operator*(const dyadic& x, const dyadic& y) { return {x.count * y.count, x.unit + y.unit}; }

dyadic magnitude_of(const dyadic& x) { return {abs(x.count), x.unit}; }

int floor_log2(const dyadic& x) { return static_cast<int>(msb(abs(x.count))) + x.unit; }

dyadic truncated(const dyadic& x, int unit) {
  if (unit <= x.unit) return {count_in(x, unit), unit};
  const integer whole = abs(x.count) >> (unit - x.unit);  // a quotient of positive numbers
  return {x.is_negative() ? integer(-whole) : whole, unit};
}

dyadic floored(const dyadic& x, int unit) {
  dyadic below = truncated(x, unit);
  const bool exact = (x + -below).is_zero();
  if (x.is_negative() && !exact) --below.count;
  return below;
}

}  // namespace golden
