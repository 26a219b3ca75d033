// SPDX-License-Identifier: Apache-2.0
// sim/report/seeds/over_seeds.h: figures over seeds: their mean, and its 95 % interval by
// Student's t.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/claims/paired_test.h"
#include "sim/report/seeds/seed_runs.h"

namespace sim {

/// A mean over seeds with the 95 % interval of Student's t.
struct seed_estimate {
  seed_sample sample;
  interval mean;
};

/// values: one a seed, at least two, finite
[[nodiscard]] seed_estimate estimate_over(std::span<const double> values);

/// A figure of every run; no value where a run lacks it or it is not finite.
using figure_of_run = std::function<std::optional<double>(const run_data&)>;
[[nodiscard]] std::optional<seed_estimate> over_seeds(const seed_runs& seeds,
                                                      const figure_of_run& figure);

/// Estimates along steps, at the steps that every seed has with a finite value.
struct band {
  std::vector<double> steps, mean, low, high;
};

using curve_of_run = std::function<curve(const run_data&)>;
[[nodiscard]] band band_over(const seed_runs& seeds, const curve_of_run& curve_of);

/// "0.352 [0.310, 0.394]", with the decimals that its standard error deserves.
[[nodiscard]] std::string interval_text(const seed_estimate& e);
/// The same as HTML, with the interval in small print; a dash for no value.
[[nodiscard]] std::string interval_cell(const std::optional<seed_estimate>& e);
/// With a + before positive means, for differences.
[[nodiscard]] std::string signed_interval_cell(const std::optional<seed_estimate>& e);

/// "5 seeds (1 to 3, 7, 9)".
[[nodiscard]] std::string seeds_text(const seed_runs& seeds);

}  // namespace sim
