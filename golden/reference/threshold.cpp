// SPDX-License-Identifier: Apache-2.0
// golden/reference/threshold.cpp: where a rounding goes over from one code to the next.
#include "golden/reference/threshold.h"

#include <stdexcept>

#include "golden/reference/formats.h"

namespace golden {
namespace {

tie_side tie_of(std::uint32_t lower_code, rounding mode) {
  const bool lower_is_even = lower_code % 2 == 0;
  switch (mode) {
    case rounding::nearest_even:
      return lower_is_even ? tie_side::lower : tie_side::upper;
    case rounding::nearest_zero:
      return tie_side::lower;
    case rounding::nearest_away:
    case rounding::toward_zero:
      return tie_side::upper;
    case rounding::stochastic:
      break;
  }
  throw std::invalid_argument("golden::thresholds: stochastic rounding has none");
}

std::uint32_t last_lower(const rational& at, tie_side tie) {
  const std::uint32_t not_above = formats::fp32().last_not_above(at).value();
  const bool hit = formats::fp32().magnitude(not_above) == at;
  return hit && tie == tie_side::upper ? not_above - 1 : not_above;
}

threshold threshold_above(const number_format& format, std::uint32_t lower_code, rounding mode) {
  const rational lower = format.magnitude(lower_code);
  const rational upper = format.magnitude(lower_code + 1);
  const rational at = mode == rounding::toward_zero ? upper : rational((lower + upper) / 2);
  const tie_side tie = tie_of(lower_code, mode);
  return {lower_code, at, tie, last_lower(at, tie)};
}

}  // namespace

std::vector<threshold> thresholds(const number_format& format, rounding mode) {
  std::vector<threshold> list;
  for (std::uint32_t code = 0; code + 1 < format.magnitudes(); ++code) {
    list.push_back(threshold_above(format, code, mode));
  }
  return list;
}

}  // namespace golden
