// SPDX-License-Identifier: Apache-2.0
// sim/report/seeds/mismatch_over_seeds.cpp: importance weights between rollout and training: means
// over steps, then over seeds.
#include <fmt/format.h>

#include <algorithm>

#include "sim/report/figure_text.h"
#include "sim/report/html.h"
#include "sim/report/mismatch_columns.h"
#include "sim/report/seeds/over_seeds.h"
#include "sim/report/seeds/seed_sections.h"

namespace sim {
namespace {

std::optional<double> mean_over_steps(const run_data& run, const std::string& arm,
                                      const char* metric) {
  const curve c = run.figures.along("train", arm, metric);
  return c.values.empty() ? std::nullopt : std::optional{mean_of(c.values)};
}

bool was_equal_in_all(const seed_runs& seeds, const std::string& arm) {
  for (const run_data& run : seeds.runs) {
    if (!measured_equal(run, arm)) return false;
  }
  return true;
}

/// Columns that an arm has figures for.
std::vector<mean_column> measured_columns(const seed_runs& seeds) {
  std::vector<mean_column> result;
  const run_data& run = seeds.runs.front();
  const std::vector<std::string> arms = arms_of(run, "train");
  for (const mean_column& c : mismatch_columns) {
    const bool any = std::ranges::any_of(arms, [&](const std::string& arm) {
      return mean_over_steps(run, arm, c.metric).has_value();
    });
    if (any) result.push_back(c);
  }
  return result;
}

}  // namespace

std::string mismatch_over_seeds(const seed_runs& seeds) {
  const std::vector<mean_column> columns = measured_columns(seeds);
  std::vector<std::string> head{"arm"}, equal;
  for (const mean_column& c : columns) head.emplace_back(c.head);
  html_table table(head, narrow_screen::cards);
  for (const std::string& arm : arms_of(seeds.runs.front(), "train")) {
    if (was_equal_in_all(seeds, arm)) {
      equal.push_back(escaped(arm));
      continue;
    }
    std::vector<std::string> row{escaped(arm)};
    for (const mean_column& c : columns) {
      row.push_back(interval_cell(over_seeds(
          seeds, [&](const run_data& run) { return mean_over_steps(run, arm, c.metric); })));
    }
    table.row(row);
  }
  std::string body = paragraph(words_of_mismatch(seeds.of()) +
                               " Means over the steps of a seed, then over seeds, with the 95 % "
                               "interval of Student's t.");
  if (!table.empty()) body += table.html();
  if (!equal.empty()) {
    body += paragraph(fmt::format(
        "Measured as exactly 1 for every token of every step of every seed, with KL exactly 0: {}.",
        fmt::join(equal, ", ")));
  }
  return section("weights", "Importance weights over seeds", body);
}

}  // namespace sim
