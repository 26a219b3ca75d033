// SPDX-License-Identifier: Apache-2.0
// sim/report/mismatch_section.cpp: importance weights between rollout and training.
#include <fmt/format.h>

#include <algorithm>

#include "sim/report/figure_text.h"
#include "sim/report/html.h"
#include "sim/report/run_data.h"

namespace sim {
namespace {

struct weights {
  double mean = 0, least = 1, most = 1;
};

std::optional<weights> weights_of(const run_data& run, const std::string& arm) {
  const std::string name = "sampling/importance_sampling_ratio/";
  const curve mean = run.figures.along("train", arm, name + "mean");
  const curve least = run.figures.along("train", arm, name + "min");
  const curve most = run.figures.along("train", arm, name + "max");
  if (mean.values.empty() || least.values.empty() || most.values.empty()) return {};
  return weights{mean_of(mean.values), *std::ranges::min_element(least.values),
                 *std::ranges::max_element(most.values)};
}

}  // namespace

std::string mismatch_section(const run_data& run) {
  html_table table({"arm", "mean", "least", "largest"});
  std::size_t exact = 0;
  for (const std::string& arm : arms_of(run, "train")) {
    const auto w = weights_of(run, arm);
    if (!w) continue;
    if (w->least == 1 && w->most == 1) {
      ++exact;
      continue;
    }
    table.row(
        {escaped(arm), number_text(w->mean, 4), number_text(w->least, 4), number_text(w->most, 4)});
  }
  std::string body = paragraph(
      "Ratio of a token's probability in training to that in the rollout, over all steps. Where "
      "both use the same arithmetic and the same weights it is exactly 1.");
  if (!table.empty()) body += table.html();
  if (table.empty() && exact == 0) body += note("Importance weights were not measured.");
  if (exact > 0) {
    body +=
        paragraph(fmt::format("{} of the arms: exactly 1 for every token of every step.", exact));
  }
  return section("weights", "Importance weights (TIS)", body);
}

}  // namespace sim
