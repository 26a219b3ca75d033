// SPDX-License-Identifier: Apache-2.0
// tests/policy/finite_differences.h: gradients by central differences of a function in binary64.
// Comparisons with them have tolerances: they check the calculus, not the bits.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

namespace test {

using doubles = std::vector<double>;

inline doubles widened(const std::vector<float>& x) { return {x.begin(), x.end()}; }

/// d f / d x_i.
template <class Function>
double slope(const Function& f, doubles x, std::size_t i) {
  const double at = x[i], h = 1e-5 * std::max(1.0, std::fabs(at));
  x[i] = at + h;
  const double above = f(x);
  x[i] = at - h;
  return (above - f(x)) / (2 * h);
}

/// Largest distance between a gradient and the slopes, over the largest slope.
template <class Function>
double gradient_error(const Function& f, const doubles& x, const std::vector<float>& gradient) {
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double exact = slope(f, x, i);
    worst = std::max(worst, std::fabs(exact - double{gradient[i]}));
    largest = std::max(largest, std::fabs(exact));
  }
  return worst / largest;
}

}  // namespace test
