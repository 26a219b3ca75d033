// SPDX-License-Identifier: Apache-2.0
// sim/claims/holm.h: Holm's step-down adjustment of p-values.
// Source: S. Holm, "A simple sequentially rejective multiple test procedure", 1979.
#pragma once
#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

namespace sim {

/// Adjusted p-values, in the order given: what is at most alpha is shown at a family-wise level of
/// alpha. The k-th smallest is multiplied by the number of those not smaller, and never less than
/// the one before it.
[[nodiscard]] inline std::vector<double> holm_adjusted(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<double> adjusted(p.size());
  double least = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    least = std::max(least, std::min(1.0, static_cast<double>(p.size() - k) * p[order[k]]));
    adjusted[order[k]] = least;
  }
  return adjusted;
}

}  // namespace sim
