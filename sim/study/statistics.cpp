// SPDX-License-Identifier: Apache-2.0
// sim/study/statistics.cpp: see statistics.h.
#include "sim/study/statistics.h"

#include <bit>
#include <cmath>
#include <limits>

namespace sim {
namespace {

/// Terms without batch i, for every i, as one of the factorial's values uses them.
template <class Term>
estimate with_error(const factorial<double>& full, const std::vector<factorial<double>>& without,
                    Term term) {
  std::vector<double> values;
  for (const auto& f : without) values.push_back(term(f));
  return {term(full), jackknife_standard_error(values)};
}

}  // namespace

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

double jackknife_standard_error(std::span<const double> without_one) {
  if (without_one.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  const auto n = static_cast<double>(without_one.size());
  const double centre = mean_of(without_one);
  double sum = 0;
  for (const double t : without_one) sum += (t - centre) * (t - centre);
  return std::sqrt((n - 1) / n * sum);
}

estimate jackknife(const replicated& figure) {
  return {figure.full, jackknife_standard_error(figure.without)};
}

factorial<double> factorial_of(const std::array<double, cells>& figures) {
  factorial<double> result;
  for (std::size_t t = 0; t < cells; ++t) {
    for (std::size_t u = 0; u <= t; ++u) {
      if ((u & t) != u) continue;
      const bool minus = std::popcount(t ^ u) % 2 != 0;
      result.moebius[t] += minus ? -figures[u] : figures[u];
    }
  }
  const auto& m = result.moebius;
  double sizes = 0;
  for (std::size_t t = 1; t < cells; ++t) sizes += std::abs(m[t]);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t self = std::size_t{1} << i, all = cells - 1;
    double pairs = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      if (j != i) pairs += m[self | (std::size_t{1} << j)];
    }
    result.shapley[i] = m[self] + pairs / 2 + m[all] / 3;
  }
  result.total = figures[cells - 1] - figures[0];
  const double main_terms = m[1] + m[2] + m[4];
  result.non_additivity = sizes > 0 ? std::abs(result.total - main_terms) / sizes : 0;
  return result;
}

factorial<estimate> factorial_of(const std::array<replicated, cells>& figures) {
  std::array<double, cells> values{};
  for (std::size_t c = 0; c < cells; ++c) values[c] = figures[c].full;
  const factorial<double> full = factorial_of(values);
  std::vector<factorial<double>> without;
  for (std::size_t i = 0; i < figures[0].without.size(); ++i) {
    for (std::size_t c = 0; c < cells; ++c) values[c] = figures[c].without.at(i);
    without.push_back(factorial_of(values));
  }
  factorial<estimate> result;
  for (std::size_t t = 0; t < cells; ++t) {
    result.moebius[t] = with_error(full, without, [t](const auto& f) { return f.moebius[t]; });
  }
  for (std::size_t i = 0; i < 3; ++i) {
    result.shapley[i] = with_error(full, without, [i](const auto& f) { return f.shapley[i]; });
  }
  result.total = with_error(full, without, [](const auto& f) { return f.total; });
  result.non_additivity = with_error(full, without, [](const auto& f) { return f.non_additivity; });
  return result;
}

std::vector<double> trailing_means(std::span<const double> values, std::size_t length) {
  std::vector<double> result;
  for (std::size_t end = length; end <= values.size(); ++end) {
    result.push_back(mean_of(values.subspan(end - length, length)));
  }
  return result;
}

std::optional<double> entropy_at_reward(std::span<const double> reward,
                                        std::span<const double> entropy, double level) {
  const std::vector<double> r = trailing_means(reward, matched_steps);
  const std::vector<double> h = trailing_means(entropy, matched_steps);
  if (r.empty() || r.size() != h.size() || r[0] > level) return {};
  if (r[0] == level) return h[0];
  for (std::size_t i = 1; i < r.size(); ++i) {
    if (r[i] < level) continue;
    return h[i - 1] + (h[i] - h[i - 1]) * ((level - r[i - 1]) / (r[i] - r[i - 1]));
  }
  return {};
}

bool exceeds_two_errors(const estimate& e) { return std::abs(e.value) > 2 * e.standard_error; }

}  // namespace sim
