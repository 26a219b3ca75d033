// SPDX-License-Identifier: Apache-2.0
// sim/report/outlier_maps.h: heat maps of figures at frozen weights, by arm and outlier factor: of
// a run, or of means over seeds.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/report/run_data.h"

namespace sim {

/// A column: a factor, or another policy.
struct outlier_column {
  std::string words, phase;
  long long factor;

  [[nodiscard]] frozen_place place(std::string_view passes, std::string_view layer) const {
    return {factor, passes, layer, phase};
  }
};

/// The factors of a run, then its other policies.
[[nodiscard]] std::vector<outlier_column> columns_of(const run_data& run);

/// What the columns are, as HTML.
[[nodiscard]] std::string words_of_outliers(const study& s);

/// A figure, and its words with the error or interval.
struct shown_figure {
  double value = 0;
  std::string words;
};

/// No value where it was not measured.
using figure_at = std::function<std::optional<shown_figure>(
    const std::string& arm, const char* metric, const frozen_place& place)>;

/// A map a figure, each cell compared with the reference's under the same outliers.
///   run  whose arms, factors and policies are shown
[[nodiscard]] std::string outlier_maps(const run_data& run, const figure_at& figure);

}  // namespace sim
