// SPDX-License-Identifier: Apache-2.0
// golden/reference/scale_search.cpp: which of several scales leaves the smallest error in a block.
#include "golden/reference/scale_search.h"

#include <algorithm>

#include "golden/reference/element_rounding.h"

namespace golden {
namespace {

rational nearest_multiple(const rational& magnitude, const number_format& element,
                          const rational& scale) {
  if (scale == 0) return 0;
  const std::uint32_t code = rounded_magnitude(element, magnitude / scale, rounding::nearest_even);
  return element.magnitude(code) * scale;
}

}  // namespace

rational block_error(const exact_block& block, const number_format& element, const rational& scale,
                     error_measure measure) {
  rational error = 0;
  for (const signed_value& x : block) {
    const rational one = abs(x.magnitude - nearest_multiple(x.magnitude, element, scale));
    if (measure == error_measure::sum_of_squares) error += one * one;
    if (measure == error_measure::sum_of_magnitudes) error += one;
    if (measure == error_measure::largest_magnitude) error = std::max(error, one);
  }
  return error;
}

rational best_scale(const exact_block& block, const number_format& element,
                    const std::vector<rational>& candidates, error_measure measure) {
  std::vector<rational> errors;
  for (const rational& scale : candidates) {
    errors.push_back(block_error(block, element, scale, measure));
  }
  const auto first_smallest = std::min_element(errors.begin(), errors.end());
  return candidates[static_cast<std::size_t>(first_smallest - errors.begin())];
}

}  // namespace golden
