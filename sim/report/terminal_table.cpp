// SPDX-License-Identifier: Apache-2.0
// sim/report/terminal_table.cpp: the results of a run as a table for the terminal.
#include <fmt/format.h>

#include <algorithm>

#include "golden/io/shown_text.h"
#include "sim/report/divergences.h"
#include "sim/report/figure_text.h"
#include "sim/report/report.h"

namespace sim {
namespace {

using row = std::vector<std::string>;

}  // namespace

std::string aligned(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const row& r : rows) {
    for (std::size_t c = 0; c < r.size(); ++c) widths[c] = std::max(widths[c], characters_in(r[c]));
  }
  std::string result;
  for (const row& r : rows) {
    std::string line;
    for (std::size_t c = 0; c < r.size(); ++c) {
      const std::string gap(widths[c] - characters_in(r[c]), ' ');
      line += c == 0 ? r[c] + gap : "  " + gap + r[c];
    }
    result += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return result;
}

namespace {

std::string or_dash(const std::optional<estimate>& e) { return e ? estimate_text(*e) : "-"; }

std::string last_of(const curve& c) {
  return c.values.empty() ? "-" : number_text(c.values.back(), 3);
}

row row_of(const metrics& m, const std::string& arm) {
  const frozen_place gradient{.outliers = 1, .passes = "all", .layer = "all"};
  const curve reward = m.along("train", arm, "reward");
  const std::string end = early_end_of(m, arm);
  const std::string mark = end.empty() ? "" : fmt::format(" ({})", end);
  return {golden::io::shown(arm) + mark,
          or_dash(m.frozen(arm, "kl")),
          or_dash(m.frozen(arm, "entropy")),
          or_dash(m.frozen(arm, "gradient_cosine", gradient)),
          or_dash(m.frozen(arm, "accuracy_sampled")),
          reward.values.empty() ? "-" : number_text(mean_of(reward.values), 3),
          last_of(m.along("train", arm, "accuracy_sampled")),
          last_of(m.along("train", arm, "accuracy_sampled_in_fp32")),
          last_of(m.along("train", arm, "entropy"))};
}

}  // namespace

std::string terminal_table(const metrics& m) {
  std::vector<row> rows{{"", "frozen weights", "", "", "", "training", "", "", ""},
                        {"arm", "KL", "entropy", "gradient cosine", "accuracy", "mean reward",
                         "accuracy", "in FP32", "entropy"}};
  std::vector<std::string> arms = m.arms("frozen");
  for (const std::string& arm : m.arms("train")) {
    if (std::ranges::find(arms, arm) == arms.end()) arms.push_back(arm);
  }
  for (const std::string& arm : arms) rows.push_back(row_of(m, arm));
  return aligned(rows);
}

}  // namespace sim
