// SPDX-License-Identifier: Apache-2.0
// sim/report/seeds/outliers_over_seeds.cpp: means over seeds at frozen weights by outlier factor.
#include <fmt/format.h>

#include "sim/report/html.h"
#include "sim/report/outlier_maps.h"
#include "sim/report/seeds/over_seeds.h"
#include "sim/report/seeds/seed_sections.h"

namespace sim {

std::string outliers_over_seeds(const seed_runs& seeds) {
  const run_data& first = seeds.runs.front();
  if (arms_of(first, "frozen").empty()) {
    return section("outliers", "Outliers over seeds",
                   note("Nothing was measured at frozen weights."));
  }
  const auto mean_at = [&](const std::string& arm, const char* metric,
                           const frozen_place& place) -> std::optional<shown_figure> {
    const auto e = over_seeds(seeds, [&](const run_data& run) -> std::optional<double> {
      const auto found = run.figures.frozen(arm, metric, place);
      return found ? std::optional{found->value} : std::nullopt;
    });
    if (!e) return {};
    return shown_figure{e->sample.mean, interval_text(*e)};
  };
  return section("outliers", "Outliers over seeds",
                 words_of_outliers(first.of) +
                     paragraph(fmt::format("Means over {}.", seeds_text(seeds))) +
                     outlier_maps(first, mean_at));
}

}  // namespace sim
