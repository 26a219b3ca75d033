// SPDX-License-Identifier: Apache-2.0
// sim/report/divergences.cpp: see divergences.h.
#include "sim/report/divergences.h"

#include <fmt/format.h>

#include <cmath>

#include "golden/io/counted.h"
#include "sim/report/figure_text.h"

namespace sim {
namespace {

std::string any_number(double v) {
  return std::isfinite(v) ? fmt::format("{:.3g}", v) : number_text(v);
}

}  // namespace

std::vector<metric_row> divergences_in(const metrics& m) {
  std::vector<metric_row> marks;
  for (const metric_row& row : m.rows()) {
    if (row.phase == "train" && row.metric == diverged_metric && row.step) marks.push_back(row);
  }
  return marks;
}

std::string early_end_of(const metrics& m, const std::string& arm) {
  const curve mark = m.along("train", arm, diverged_metric);
  if (!mark.steps.empty()) return fmt::format("diverged at step {}", mark.steps.front());
  const std::size_t steps = m.along("train", arm, "reward").values.size(),
                    all = m.along("train", "fp32", "reward").values.size();
  return steps == 0 || steps >= all
             ? ""
             : fmt::format("{} of {}", steps, golden::io::counted(all, "step"));
}

std::string divergence_words(const metric_row& mark) {
  return fmt::format(
      "arm '{}' diverged at step {}: {} is {} in {}; the weights of step {} are kept, and accuracy "
      "and reward count as 0 from step {} on",
      mark.arm, *mark.step, mark.layer, any_number(mark.value), mark.passes, *mark.step - 1,
      *mark.step);
}

}  // namespace sim
