// SPDX-License-Identifier: Apache-2.0
// sim/claims/deviation_test.h: tests of a standard deviation over seeds against a number.
// Source: Boost.Math's distributions; G. E. P. Box, "Non-normality and tests on variances", 1953.
#pragma once
#include <cstdint>

#include "sim/claims/paired_test.h"

namespace sim {

/// Tails of the values. The variance of s^2 is (2 + excess kurtosis) sigma^4 / n, so heavier tails
/// are fewer degrees of freedom.
///   gaussian  excess kurtosis 0: chi-square is exact
///   heavy     excess kurtosis 3, that of chi-square with 4 degrees of freedom
enum class tails : std::uint8_t { gaussian, heavy };

/// One-sided p-values of "the standard deviation is above the bound" and "... below the bound".
struct deviation_evidence {
  double above = 1, below = 1;
};

///   bound  above 0
[[nodiscard]] deviation_evidence by_chi_square(const seed_sample& s, double bound, tails t);

/// The smallest standard deviation that a two-sided test of Gaussian values shows to be above the
/// bound with that power.
[[nodiscard]] double smallest_deviation_above(std::size_t seeds, double bound, double level,
                                              double power);

}  // namespace sim
