// SPDX-License-Identifier: Apache-2.0
// golden/reference/threshold.h: where a rounding goes over from one code to the next.
#pragma once
#include "golden/reference/element_rounding.h"

namespace golden {

enum class tie_side : unsigned char { lower, upper };

/// Between the magnitudes of `lower_code` and lower_code + 1.
struct threshold {
  std::uint32_t lower_code = 0;
  rational at;                     ///< numbers below take the lower code, those above the other
  tie_side tie = tie_side::lower;  ///< which of them `at` itself takes
  std::uint32_t last_lower_binary32 = 0;  ///< the largest FP32 number that takes the lower code
};

/// One for each pair of neighbours, in ascending order. Together they are the rounding: the code of
/// a magnitude is the number of thresholds that it has passed.
///   mode  not stochastic
[[nodiscard]] std::vector<threshold> thresholds(const number_format& format, rounding mode);

}  // namespace golden
