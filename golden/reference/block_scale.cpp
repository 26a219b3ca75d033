// SPDX-License-Identifier: Apache-2.0
// golden/reference/block_scale.cpp: the scale of a block, in any scale format.
#include "golden/reference/block_scale.h"

#include <stdexcept>

#include "golden/reference/element_rounding.h"
#include "golden/reference/scale_search.h"

namespace golden {
namespace {

bool searches_four_over_six(scale_rule rule) {
  return rule == scale_rule::four_over_six_mse || rule == scale_rule::four_over_six_mae ||
         rule == scale_rule::four_over_six_abs_max;
}

bool is_a_ratio(scale_rule rule) {
  return rule == scale_rule::rceil || rule == scale_rule::floor6 || rule == scale_rule::mse ||
         rule == scale_rule::static_four || rule == scale_rule::ideal;
}

rational ratio_of(const rational& amax, const number_format& element, scale_rule rule) {
  if (rule != scale_rule::static_four) return amax / element.largest();
  if (element.name() != "e2m1") throw std::invalid_argument("golden: static_four is for e2m1");
  return amax / 4;
}

block_scale exactly(const rational& scale) { return {0, {number_kind::finite, {false, scale}}}; }

std::uint32_t nearest_scale(const number_format& format, const rational& scale) {
  return rounded_magnitude(format, scale, rounding::nearest_even);
}

std::uint32_t smallest_positive(const number_format& format) { return format.has_zero() ? 1 : 0; }

std::uint32_t code_of_power(const number_format& format, int exponent) {
  return std::max(nearest_scale(format, power_of_two(exponent)), smallest_positive(format));
}

// The code of the best of some scales that are all in the format.
std::uint32_t best_code(const exact_block& block, const number_format& element,
                        const number_format& format, const std::vector<std::uint32_t>& codes,
                        error_measure measure) {
  std::vector<rational> scales;
  for (const std::uint32_t code : codes) scales.push_back(format.magnitude(code));
  return format.last_not_above(best_scale(block, element, scales, measure)).value();
}

std::uint32_t mse_code(const exact_block& block, const number_format& element,
                       const number_format& format, std::uint32_t base) {
  std::vector<std::uint32_t> codes{base};  // a zero too, where that is the nearest
  const auto admit = [&](std::uint32_t code) {
    if (code >= smallest_positive(format) && code < format.magnitudes()) codes.push_back(code);
  };
  if (base > 0) admit(base - 1);
  admit(base + 1);
  return best_code(block, element, format, codes, error_measure::sum_of_squares);
}

error_measure measure_of(scale_rule rule) {
  if (rule == scale_rule::four_over_six_mse) return error_measure::sum_of_squares;
  if (rule == scale_rule::four_over_six_mae) return error_measure::sum_of_magnitudes;
  return error_measure::largest_magnitude;
}

// Saturation bounds the candidates by the largest scale.
std::uint32_t four_over_six_code(const exact_block& block, const number_format& element,
                                 const number_format& format, scale_rule rule) {
  if (element.name() != "e2m1" || format.fraction_bits() == 0) {
    throw std::invalid_argument("golden: four_over_six is for e2m1 and scales with fraction bits");
  }
  const rational amax = amax_of(block);
  const std::vector<std::uint32_t> codes{nearest_scale(format, amax / 6),
                                         nearest_scale(format, amax / 4)};
  return best_code(block, element, format, codes, measure_of(rule));
}

std::uint32_t code_of_ratio(const exact_block& block, const number_format& element,
                            const number_format& format, scale_rule rule) {
  const rational ratio = ratio_of(amax_of(block), element, rule);
  if (rule == scale_rule::rceil) {
    return format.first_not_below(ratio).value_or(format.magnitudes() - 1);
  }
  if (rule == scale_rule::floor6) {
    return std::max(format.last_not_above(ratio).value_or(0), smallest_positive(format));
  }
  const std::uint32_t nearest = nearest_scale(format, ratio);
  return rule == scale_rule::mse ? mse_code(block, element, format, nearest) : nearest;
}

block_scale unrounded_scale(const exact_block& block, const number_format& element,
                            scale_rule rule) {
  if (is_a_ratio(rule)) return exactly(ratio_of(amax_of(block), element, rule));
  return exactly(power_of_two(shared_exponent(block, element, rule)));
}

}  // namespace

block_scale scale_of_code(const number_format& format, std::uint32_t code) {
  return {code, format.decode(code)};
}

block_scale nan_scale_of(const number_format* format) {
  return {format == unrounded ? 0 : format->nan_code(), {number_kind::nan, {}}};
}

block_scale choose_scale(const exact_block& block, const number_format& element,
                         const number_format* format, scale_rule rule) {
  const bool zeros = amax_of(block) == 0;
  if (format == unrounded) return zeros ? exactly(0) : unrounded_scale(block, element, rule);
  if (zeros) return scale_of_code(*format, 0);
  if (searches_four_over_six(rule)) {
    return scale_of_code(*format, four_over_six_code(block, element, *format, rule));
  }
  const bool fine = format->fraction_bits() > 0;
  if (rule == scale_rule::ideal || (fine && is_a_ratio(rule))) {
    return scale_of_code(*format, code_of_ratio(block, element, *format, rule));
  }
  const int exponent = shared_exponent(block, element, rule);
  return scale_of_code(*format, code_of_power(*format, exponent));
}

}  // namespace golden
