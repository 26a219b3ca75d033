// SPDX-License-Identifier: Apache-2.0
// golden/reference/scale_rule.cpp: the shared exponent of a block, rule by rule.
#include "golden/reference/scale_rule.h"

#include <algorithm>
#include <stdexcept>

#include "golden/reference/binary32.h"
#include "golden/reference/scale_search.h"

namespace golden {
namespace {

int clamped(int e) { return std::clamp(e, -127, 127); }

int even_exponent(const rational& amax, const number_format& element) {
  const int low = floor_log2(amax);
  const rational from = 2 - power_of_two(-(element.fraction_bits() + 1));
  const bool next = amax >= from * power_of_two(low);
  return low + (next ? 1 : 0) - element.emax();
}

int midmax_exponent(const rational& amax, const number_format& element) {
  const rational middle = (element.largest() + power_of_two(element.emax() + 1)) / 2;
  return ceil_log2(amax / middle);
}

int overflow_aware_exponent(const rational& amax, const number_format& element) {
  const rational above = element.largest() + power_of_two(element.emax() - element.fraction_bits());
  const rational limit = (element.largest() + above) / 2;
  return floor_log2(amax / limit) + 1;
}

int static_four_exponent(const rational& amax, const number_format& element) {
  if (element.name() != "e2m1") throw std::invalid_argument("golden: static_four is for e2m1");
  return ceil_log2(amax / 4);
}

int mse_exponent(const exact_block& block, const rational& amax, const number_format& element) {
  const int base = clamped(ceil_log2(amax / element.largest()));
  std::vector<rational> candidates;
  for (const int e : {base, base - 1, base + 1}) candidates.push_back(power_of_two(clamped(e)));
  return floor_log2(best_scale(block, element, candidates, error_measure::sum_of_squares));
}

// The population variance of the elements, cut toward zero to multiples of the unit.
rational cut_variance(const exact_block& block, const rational& unit) {
  integer sum = 0;
  integer sum_of_squares = 0;
  for (const signed_value& x : block) {
    const integer units = floor_of(x.magnitude / unit);
    sum += x.negative ? integer(-units) : units;
    sum_of_squares += units * units;
  }
  const integer count = block.size();
  const rational mean(sum, count);
  const rational mean_of_squares(sum_of_squares, count);
  return (mean_of_squares - mean * mean) * unit * unit;
}

int quest_exponent(const exact_block& block, const rational& amax, const number_format& element) {
  const rational variance = cut_variance(block, power_of_two(floor_log2(amax) - 30));
  if (variance == 0) return -127;
  const rational factor = value_of(2.92247856F).magnitude / element.largest();
  const rational square = factor * factor * variance;
  int e = floor_log2(square) / 2;
  while (power_of_two(2 * e) > square) --e;
  return e;
}

int unclamped_exponent(const exact_block& block, const number_format& element, scale_rule rule) {
  const rational amax = amax_of(block);
  switch (rule) {
    case scale_rule::floor:
      return floor_log2(amax) - element.emax();
    case scale_rule::rceil:
      return ceil_log2(amax / element.largest());
    case scale_rule::ceil:
      return ceil_log2(amax) - element.emax();
    case scale_rule::even:
      return even_exponent(amax, element);
    case scale_rule::floor6:
      return floor_log2(amax / element.largest());
    case scale_rule::midmax:
      return midmax_exponent(amax, element);
    case scale_rule::overflow_aware:
      return overflow_aware_exponent(amax, element);
    case scale_rule::static_four:
      return static_four_exponent(amax, element);
    case scale_rule::mse:
      return mse_exponent(block, amax, element);
    case scale_rule::quest:
      return quest_exponent(block, amax, element);
    case scale_rule::ideal:
    case scale_rule::four_over_six_mse:
    case scale_rule::four_over_six_mae:
    case scale_rule::four_over_six_abs_max:
      break;
  }
  throw std::invalid_argument("golden: this rule gives a scale, not an exponent");
}

}  // namespace

rational amax_of(const exact_block& block) {
  rational amax = 0;
  for (const signed_value& x : block) {
    if (x.magnitude > amax) amax = x.magnitude;
  }
  return amax;
}

int shared_exponent(const exact_block& block, const number_format& element, scale_rule rule) {
  return clamped(unclamped_exponent(block, element, rule));
}

}  // namespace golden
