// SPDX-License-Identifier: Apache-2.0
// golden/reference/dyadic.h: exact numbers whose denominator is a power of two.
// Every number of a binary format, every product and every sum of such numbers is one. They need no
// greatest common divisors, which take most of the time of `rational`.
#pragma once
#include "golden/reference/rational.h"

namespace golden {

/// count * 2^unit. Several pairs tell the same number.
struct dyadic {
  integer count = 0;
  int unit = 0;

  [[nodiscard]] bool is_zero() const { return count.is_zero(); }
  [[nodiscard]] bool is_negative() const { return count.sign() < 0; }
};

/// errors  std::invalid_argument where the denominator is no power of two
[[nodiscard]] dyadic dyadic_of(const rational& value);
[[nodiscard]] rational rational_of(const dyadic& x);

[[nodiscard]] dyadic operator+(const dyadic& x, const dyadic& y);
[[nodiscard]] dyadic operator-(const dyadic& x);
[[nodiscard]] dyadic operator*(const dyadic& x, const dyadic& y);
[[nodiscard]] dyadic magnitude_of(const dyadic& x);

/// The largest e with 2^e <= |x|; x is not zero.
[[nodiscard]] int floor_log2(const dyadic& x);

/// The multiple of 2^unit next to x: toward zero, or not above x. Its unit is the one asked for.
[[nodiscard]] dyadic truncated(const dyadic& x, int unit);
[[nodiscard]] dyadic floored(const dyadic& x, int unit);

}  // namespace golden
