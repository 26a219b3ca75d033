// SPDX-License-Identifier: Apache-2.0
// golden/reference/scale_search.h: which of several scales leaves the smallest error in a block.
#pragma once
#include "golden/reference/scale_rule.h"

namespace golden {

enum class error_measure : unsigned char { sum_of_squares, sum_of_magnitudes, largest_magnitude };

/// Error of a block whose elements go to the nearest multiples of a scale, ties to the even code.
///   scale  not below zero; zero makes all elements zero
[[nodiscard]] rational block_error(const exact_block& block, const number_format& element,
                                   const rational& scale, error_measure measure);

/// The candidate with the smallest error, the earliest of equals. There is at least one.
[[nodiscard]] rational best_scale(const exact_block& block, const number_format& element,
                                  const std::vector<rational>& candidates, error_measure measure);

}  // namespace golden
