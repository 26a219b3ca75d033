// SPDX-License-Identifier: Apache-2.0
// sim/claims/paired_test.h: Student's t over seeds for differences that are paired within a seed.
// Source: Boost.Math's distributions; zero spread is decided here, since t is infinite there.
#pragma once
#include <cstddef>
#include <span>

namespace sim {

/// One value a seed, summarized.
struct seed_sample {
  std::size_t seeds = 0;
  double mean = 0;
  double deviation = 0;  ///< standard deviation, with n - 1

  [[nodiscard]] double standard_error() const;
};

///   range  at least 2 finite values
[[nodiscard]] seed_sample sample_of(std::span<const double> values);

/// One-sided p-value of "the mean is above 0". Without spread: 0 for a mean above 0, else 1.
[[nodiscard]] double t_above_zero(const seed_sample& s);

struct interval {
  double low = 0, high = 0;
};

/// Two-sided intervals: of the mean by Student's t, of the standard deviation by chi-square.
///   confidence  such as .95
[[nodiscard]] interval interval_of_mean(const seed_sample& s, double confidence);
[[nodiscard]] interval interval_of_deviation(const seed_sample& s, double confidence);

/// Probability that a two-sided t test at this level shows an effect, of either sign.
///   effect  in standard deviations
[[nodiscard]] double power_of(std::size_t seeds, double effect, double level);

/// The smallest mean that as many seeds with this spread show with that power.
[[nodiscard]] double smallest_detectable(const seed_sample& s, double level, double power);

}  // namespace sim
