// SPDX-License-Identifier: Apache-2.0
// sim/report/outlier_section.cpp: figures at frozen weights by outlier factor, as heat maps.
#include <fmt/format.h>

#include <array>

#include "sim/report/figure_text.h"
#include "sim/report/heat_map.h"
#include "sim/report/html.h"
#include "sim/report/run_data.h"

namespace sim {
namespace {

/// A column: a factor, or another policy.
struct outlier_column {
  std::string words, phase;
  long long factor;

  [[nodiscard]] frozen_place place(std::string_view passes, std::string_view layer) const {
    return {factor, passes, layer, phase};
  }
};

std::vector<outlier_column> columns_of(const run_data& run) {
  std::vector<outlier_column> result;
  for (const long long factor : run.figures.outliers()) {
    result.push_back({fmt::format("\u00D7{}", factor), "frozen", factor});
  }
  for (const auto& [name, policy] : run.of.outliers.policies) {
    result.push_back({name, "frozen-" + name, 1});
  }
  return result;
}

std::vector<std::string> heads_of(const std::vector<outlier_column>& columns) {
  std::vector<std::string> result;
  for (const outlier_column& column : columns) result.push_back(column.words);
  return result;
}

/// Comparison of an arm's figure to the reference's with the same outliers.
enum class comparison : std::uint8_t { distance, change, loss, agreement };

struct heat_figure {
  const char *metric, *title, *word, *passes, *layer;
  comparison how;
};
constexpr std::array<heat_figure, 4> heat_figures{
    {{"kl", "KL to FP32, nats a token", "KL to FP32", "", "", comparison::distance},
     {"entropy", "Change of entropy, nats a token", "entropy", "", "", comparison::change},
     {"accuracy_sampled", "Loss of sampled accuracy", "sampled accuracy", "", "", comparison::loss},
     {"gradient_cosine", "Gradient cosine, all passes", "gradient cosine", "all", "all",
      comparison::agreement}}};

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

heat_cell cell_of(comparison how, double value, double reference) {
  const auto with_sign = [](double v) { return (v > 0 ? "+" : "") + number_text(v, 3); };
  switch (how) {
    case comparison::distance:
      return {value, short_text(value), ""};
    case comparison::change:
      return {value - reference, with_sign(value - reference), ""};
    case comparison::loss:
      return {reference - value, number_text(reference - value, 3), ""};
    case comparison::agreement:
      break;
  }
  return {1 - value, number_text(value, 3), ""};
}

std::optional<heat_cell> measured_cell(const run_data& run, const heat_figure& f,
                                       const std::string& arm, const outlier_column& column) {
  const frozen_place place = column.place(f.passes, f.layer);
  const auto value = run.figures.frozen(arm, f.metric, place);
  const auto reference = run.figures.frozen("fp32", f.metric, place);
  const bool compared = f.how == comparison::change || f.how == comparison::loss;
  if (!value || (compared && !reference)) return {};
  heat_cell cell = cell_of(f.how, value->value, compared ? reference->value : 0);
  cell.hover = fmt::format("{}, {}: {} {}", arm, column.words, f.word, estimate_text(*value));
  if (compared) cell.hover += fmt::format("; of FP32 {}", estimate_text(*reference));
  return cell;
}

/// All arms but the reference, from which everything is measured.
std::vector<std::string> rows_of_heat(const run_data& run) {
  std::vector<std::string> result = arms_of(run, "frozen");
  std::erase(result, "fp32");
  return result;
}

heat_map map_of(const run_data& run, const heat_figure& f) {
  const std::vector<outlier_column> columns = columns_of(run);
  heat_map map{f.title, rows_of_heat(run), heads_of(columns), {}};
  for (const std::string& arm : map.rows) {
    auto& row = map.cells.emplace_back();
    for (const outlier_column& c : columns) row.push_back(measured_cell(run, f, arm, c));
  }
  return map;
}

std::string heat_maps(const run_data& run) {
  std::vector<heat_map> maps;
  for (const heat_figure& f : heat_figures) maps.push_back(map_of(run, f));
  return draw(maps);
}

std::string outlier_table(const run_data& run, const table_figure& f) {
  const std::vector<outlier_column> columns = columns_of(run);
  std::vector<std::string> head = heads_of(columns);
  head.insert(head.begin(), "arm");
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
  std::string body = paragraph(fmt::format(
      "\u00D7N: a power of two on {} of {} channels of both RMSNorms and on {} of {} hidden units "
      "of each "
      "layer, taken back behind the product: FP32 does not change, the blocks of MXFP4 do.",
      run.of.outliers.norm_channels.size(), run.of.policy.width,
      run.of.outliers.hidden_units.size(), run.of.policy.hidden));
  body += policies_list(run);
  if (columns_of(run).size() < 2) {
    body += note("Only \u00D71 was measured: no outliers in this run.");
  }
  if (!rows_of_heat(run).empty()) {
    body += note(
        "Each cell is an arm at frozen weights. Orange: away from FP32, the deepest furthest of "
        "its "
        "chart, by the square root of the distance. Blue: entropy below FP32's, accuracy above "
        "it.");
    body += heat_maps(run);
  }
  return section("outliers", "Outliers",
                 body + fold("All numbers, with standard errors", outlier_tables(run)));
}

}  // namespace sim
