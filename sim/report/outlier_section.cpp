// SPDX-License-Identifier: Apache-2.0
// sim/report/outlier_section.cpp: figures of a run at frozen weights by outlier factor.
#include <fmt/format.h>

#include <array>

#include "sim/report/figure_text.h"
#include "sim/report/html.h"
#include "sim/report/outlier_maps.h"
#include "sim/report/run_data.h"

namespace sim {
namespace {

struct table_figure {
  const char *metric, *words, *passes, *layer;
};
constexpr std::array<table_figure, 6> table_figures{
    {{"kl", "KL to FP32, nats a token", "", ""},
     {"entropy", "Entropy, nats a token", "", ""},
     {"gradient_cosine", "Gradient cosine, all passes", "all", "all"},
     {"accuracy_sampled", "Sampled accuracy", "", ""},
     {"accuracy_greedy", "Greedy accuracy", "", ""},
     {"gradient_projection", "Gradient projection, all passes", "all", "all"}}};

std::string outlier_table(const run_data& run, const table_figure& f) {
  const std::vector<outlier_column> columns = columns_of(run);
  std::vector<std::string> head{"arm"};
  for (const outlier_column& c : columns) head.push_back(c.words);
  html_table table(head);
  for (const std::string& arm : arms_of(run, "frozen")) {
    std::vector<std::string> row{escaped(arm)};
    for (const outlier_column& c : columns) {
      row.push_back(cell_or_dash(run.figures.frozen(arm, f.metric, c.place(f.passes, f.layer))));
    }
    table.row(row);
  }
  return table.html();
}

std::string outlier_tables(const run_data& run) {
  std::vector<std::string> tables;
  for (const table_figure& f : table_figures) {
    tables.push_back(fmt::format("<div>\n<h4>{}</h4>\n{}</div>\n", f.words, outlier_table(run, f)));
  }
  return panels(tables, panel_width::half);
}

/// FP32's figure under another policy.
std::string reference_text(const run_data& run, const std::string& policy, const char* metric) {
  const std::string phase = "frozen-" + policy;
  const auto found = run.figures.frozen("fp32", metric, {1, "", "", phase});
  return found ? estimate_text(*found) : "not measured";
}

std::string policy_words(const policy_outliers& p) {
  std::string result = "warmed up";
  if (p.weights == weight_law::student_t) {
    result += fmt::format(" from weights of Student's t law of {} degrees of freedom", p.degrees);
  }
  if (p.massive_channels.empty()) return result;
  return result + fmt::format(
                      " with a constant of {} in {} channels of the residual stream at "
                      "every +",
                      number_text(double{p.massive_value}), p.massive_channels.size());
}

/// The other policies, each with what FP32 makes of it.
std::string policies_list(const run_data& run) {
  std::string result;
  for (const auto& [name, policy] : run.of.outliers.policies) {
    result += note(fmt::format(
        "{}: another policy, {}. Its arms stand beside FP32 "
        "with the same weights: entropy {}, sampled accuracy {}.",
        strong(escaped(name)), policy_words(policy), reference_text(run, name, "entropy"),
        reference_text(run, name, "accuracy_sampled")));
  }
  return result;
}

}  // namespace

std::string outlier_section(const run_data& run) {
  if (arms_of(run, "frozen").empty()) {
    return section("outliers", "Outliers", note("Nothing was measured at frozen weights."));
  }
  std::string body = words_of_outliers(run.of);
  body += policies_list(run);
  body += outlier_maps(run,
                       [&](const std::string& arm, const char* metric,
                           const frozen_place& place) -> std::optional<shown_figure> {
                         const auto found = run.figures.frozen(arm, metric, place);
                         if (!found) return {};
                         return shown_figure{found->value, estimate_text(*found)};
                       });
  return section("outliers", "Outliers",
                 body + fold("All numbers, with standard errors", outlier_tables(run)));
}

}  // namespace sim
