// SPDX-License-Identifier: Apache-2.0
// golden/reference/element_rounding.cpp: from a number to the code of one of its two neighbours.
#include "golden/reference/element_rounding.h"

namespace golden {
namespace {

struct neighbours {
  std::uint32_t lower_code;
  rational lower, upper;
};

bool random_carries(const rational& value, const neighbours& around, random_draw draw) {
  const integer all = integer(1) << draw.bits;
  const rational delta = (value - around.lower) / (around.upper - around.lower);
  return floor_of(delta * rational(all)) + draw.value >= all;
}

bool takes_upper(const rational& value, const neighbours& around, rounding mode, random_draw draw) {
  if (mode == rounding::toward_zero) return false;
  if (mode == rounding::stochastic) return random_carries(value, around, draw);
  const rational to_lower = value - around.lower;
  const rational to_upper = around.upper - value;
  if (to_lower != to_upper) return to_upper < to_lower;
  const bool lower_is_even = around.lower_code % 2 == 0;
  return mode == rounding::nearest_away || (mode == rounding::nearest_even && !lower_is_even);
}

}  // namespace

std::uint32_t rounded_magnitude(const number_format& format, const rational& value, rounding mode,
                                random_draw draw) {
  const std::optional<std::uint32_t> lower = format.last_not_above(value);
  if (!lower) return 0;
  if (*lower == format.magnitudes() - 1) return *lower;
  const neighbours around{*lower, format.magnitude(*lower), format.magnitude(*lower + 1)};
  return takes_upper(value, around, mode, draw) ? *lower + 1 : *lower;
}

std::uint32_t rounded_element(const number_format& format, const signed_value& x, rounding mode,
                              random_draw draw) {
  return format.with_sign(x.negative, rounded_magnitude(format, x.magnitude, mode, draw));
}

}  // namespace golden
