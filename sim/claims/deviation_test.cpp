// SPDX-License-Identifier: Apache-2.0
// sim/claims/deviation_test.cpp: see deviation_test.h.
#include "sim/claims/deviation_test.h"

#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>

namespace sim {
namespace {

using boost::math::chi_squared;

constexpr double heavy_kurtosis = 3;

}  // namespace

deviation_evidence by_chi_square(const seed_sample& s, double bound, tails t) {
  const double kurtosis = t == tails::heavy ? heavy_kurtosis : 0;
  const double freedom = (static_cast<double>(s.seeds) - 1) / (1 + kurtosis / 2);
  const double ratio = s.deviation / bound, statistic = freedom * ratio * ratio;
  const chi_squared squares(freedom);
  return {cdf(complement(squares, statistic)), cdf(squares, statistic)};
}

double smallest_deviation_above(std::size_t seeds, double bound, double level, double power) {
  const chi_squared squares(static_cast<double>(seeds) - 1);
  return bound * std::sqrt(quantile(complement(squares, level / 2)) / quantile(squares, 1 - power));
}

}  // namespace sim
