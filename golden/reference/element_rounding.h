// SPDX-License-Identifier: Apache-2.0
// golden/reference/element_rounding.h: from a number to the code of one of its two neighbours.
// Source: IEEE 754-2019, clause 4.3 (the nearest, and toward zero); stochastic as the carry of a
// sum, as PTX `cvt.rs` does.
#pragma once
#include "golden/reference/number_format.h"

namespace golden {

///   nearest_even  of two equally near the even code
///   nearest_away  of two equally near the larger
///   toward_zero   the lower neighbour
///   nearest_zero  of two equally near the smaller
///   stochastic    the upper neighbour, where random bits carry
enum class rounding : unsigned char {
  nearest_even,
  nearest_away,
  toward_zero,
  nearest_zero,
  stochastic
};

/// One of the 2^bits equally likely draws.
struct random_draw {
  std::uint32_t value = 0;  ///< below 2^bits
  int bits = 8;             ///< from 1 to 24
};

/// Code of the magnitude that a non-negative number is rounded to; numbers below or beyond all
/// magnitudes take the first or the last.
///   stochastic  with delta the number's place between its neighbours, in [0, 1): the upper one
///               where floor(delta 2^bits) + value >= 2^bits
[[nodiscard]] std::uint32_t rounded_magnitude(const number_format& format, const rational& value,
                                              rounding mode, random_draw draw = {});

/// The same, with the sign of the number.
[[nodiscard]] std::uint32_t rounded_element(const number_format& format, const signed_value& x,
                                            rounding mode, random_draw draw = {});

}  // namespace golden
