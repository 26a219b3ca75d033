// SPDX-License-Identifier: Apache-2.0
// sim/claims/paired_test.cpp: see paired_test.h.
#include "sim/claims/paired_test.h"

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "sim/study/statistics.h"

namespace sim {
namespace {

namespace distributions = boost::math;

/// Of a non-central t: its series has about shift^2 / 2 terms. Beyond, the mean of a sample is its
/// expectation but for one part in a thousand, and only its deviation varies.
constexpr double largest_shift = 1000;

double freedom_of(const seed_sample& s) { return static_cast<double>(s.seeds) - 1; }

/// The t beyond which a tail has this probability.
double t_beyond(double freedom, double tail) {
  return quantile(complement(distributions::students_t(freedom), tail));
}

}  // namespace

double seed_sample::standard_error() const {
  return deviation / std::sqrt(static_cast<double>(seeds));
}

seed_sample sample_of(std::span<const double> values) {
  seed_sample s{values.size(), mean_of(values), 0};
  double squares = 0;
  for (const double v : values) squares += (v - s.mean) * (v - s.mean);
  s.deviation = std::sqrt(squares / freedom_of(s));
  return s;
}

double t_above_zero(const seed_sample& s) {
  if (s.deviation == 0) return s.mean > 0 ? 0 : 1;
  const distributions::students_t t(freedom_of(s));
  return cdf(complement(t, s.mean / s.standard_error()));
}

interval interval_of_mean(const seed_sample& s, double confidence) {
  const double half = t_beyond(freedom_of(s), (1 - confidence) / 2) * s.standard_error();
  return {s.mean - half, s.mean + half};
}

interval interval_of_deviation(const seed_sample& s, double confidence) {
  const distributions::chi_squared squares(freedom_of(s));
  const double tail = (1 - confidence) / 2, sum = freedom_of(s) * s.deviation * s.deviation;
  return {std::sqrt(sum / quantile(complement(squares, tail))),
          std::sqrt(sum / quantile(squares, tail))};
}

double power_of(std::size_t seeds, double effect, double level) {
  const auto n = static_cast<double>(seeds);
  const double critical = t_beyond(n - 1, level / 2), shift = effect * std::sqrt(n);
  if (shift > largest_shift) {
    const double ratio = shift / critical;
    return cdf(distributions::chi_squared(n - 1), (n - 1) * ratio * ratio);
  }
  const distributions::non_central_t shifted(n - 1, shift);
  return cdf(complement(shifted, critical)) + cdf(shifted, -critical);
}

double smallest_detectable(const seed_sample& s, double level, double power) {
  // Power rises with the effect: 50 halvings find it to about 1e-13 of the upper end.
  double low = 0, high = 1;
  while (power_of(s.seeds, high, level) < power) high *= 2;
  for (int i = 0; i < 50; ++i) {
    const double middle = (low + high) / 2;
    (power_of(s.seeds, middle, level) < power ? low : high) = middle;
  }
  return high * s.deviation;
}

}  // namespace sim
