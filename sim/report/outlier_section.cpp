// SPDX-License-Identifier: Apache-2.0
// sim/report/outlier_section.cpp: figures at frozen weights by outlier factor.
#include <fmt/format.h>

#include <array>

#include "sim/report/figure_text.h"
#include "sim/report/html.h"
#include "sim/report/run_data.h"

namespace sim {
namespace {

struct outlier_figure {
  const char *metric, *words, *passes, *layer;
};
constexpr std::array<outlier_figure, 6> outlier_figures{
    {{"kl", "KL to FP32, nats a token", "", ""},
     {"entropy", "Entropy, nats a token", "", ""},
     {"gradient_cosine", "Gradient cosine, all passes", "all", "all"},
     {"accuracy_sampled", "Sampled accuracy", "", ""},
     {"accuracy_greedy", "Greedy accuracy", "", ""},
     {"gradient_projection", "Gradient projection, all passes", "all", "all"}}};

/// One row an arm, one column a factor.
std::string outlier_table(const run_data& run, const outlier_figure& f) {
  const std::vector<long long> factors = run.figures.outliers();
  std::vector<std::string> head{"arm"};
  for (const long long factor : factors) head.push_back(fmt::format("\u00D7{}", factor));
  html_table table(head);
  for (const std::string& arm : arms_of(run, "frozen")) {
    std::vector<std::string> row{escaped(arm)};
    for (const long long factor : factors) {
      row.push_back(cell_or_dash(run.figures.frozen(arm, f.metric, {factor, f.passes, f.layer})));
    }
    table.row(row);
  }
  return table.html();
}

}  // namespace

std::string outlier_section(const run_data& run) {
  if (arms_of(run, "frozen").empty()) {
    return section("outliers", "Outliers", note("Nothing was measured at frozen weights."));
  }
  std::string body = paragraph(fmt::format(
      "A power of two on {} of {} channels of both RMSNorms and on {} of {} hidden units of each "
      "layer, taken back behind the product: FP32 does not change, the blocks of MXFP4 do.",
      run.of.outliers.norm_channels.size(), run.of.policy.width,
      run.of.outliers.hidden_units.size(), run.of.policy.hidden));
  if (run.figures.outliers().size() < 2) {
    body += note("Only \u00D71 was measured: no outliers in this run.");
  }
  std::vector<std::string> tables;
  for (const outlier_figure& f : outlier_figures) {
    tables.push_back(fmt::format("<div>\n<h4>{}</h4>\n{}</div>\n", f.words, outlier_table(run, f)));
  }
  return section("outliers", "Outliers", body + panels(tables, panel_width::half));
}

}  // namespace sim
