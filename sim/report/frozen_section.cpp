// SPDX-License-Identifier: Apache-2.0
// sim/report/frozen_section.cpp: figures at frozen weights: gradient, components, outliers, factorial.
#include <fmt/format.h>

#include <algorithm>

#include "sim/report/chart.h"
#include "sim/report/figure_text.h"
#include "sim/report/findings.h"
#include "sim/report/html.h"
#include "sim/report/run_data.h"

namespace sim {
namespace {

constexpr std::array<const char*, 4> passes{"all", "forward", "dgrad", "wgrad"};
constexpr std::array<const char*, 4> pass_titles{"all passes", "forward alone", "dgrad alone",
                                                 "wgrad alone"};

struct role {
  const char *metric, *words;
};
constexpr std::array<role, 6> roles{{{"x", "X, forward"},
                                     {"w_forward", "W, forward"},
                                     {"w_dgrad", "W, dgrad"},
                                     {"dy_dgrad", "dY, dgrad"},
                                     {"dy_wgrad", "dY, wgrad"},
                                     {"x_wgrad", "X, wgrad"}}};

std::string text_or_dash(const std::optional<estimate>& e) {
  return e ? estimate_cell(*e) : "\u2013";
}

/// Layers as people count them; "all" first, then as measured.
std::vector<std::string> layers_of(const run_data& run, const char* metric) {
  std::vector<std::string> result = run.figures.layers(metric);
  std::erase(result, "");
  std::stable_partition(result.begin(), result.end(), [](const auto& l) { return l == "all"; });
  return result;
}

std::string layer_words(const std::string& layer) {
  if (layer == "all") return "all layers";
  return layer.find_first_not_of("0123456789") == std::string::npos ? "layer " + layer : layer;
}

/// Arms whose figure says something: the reference's gradient is itself.
std::vector<std::string> compared_arms(const run_data& run) {
  std::vector<std::string> result = arms_of(run, "frozen");
  std::erase(result, "fp32");
  return result;
}

std::string gradient_chart(const run_data& run, const char* metric, const char* title,
                           const char* x_label) {
  dot_chart chart{title, x_label, compared_arms(run), {}, {}, {}, 1.0};
  // More marks than that cannot be told apart in a row; the table below has all layers.
  std::vector<std::string> layers = layers_of(run, metric);
  if (layers.size() > 4) layers.resize(4);
  for (const std::string& layer : layers) chart.marks.push_back(layer_words(layer));
  for (const char* words : pass_titles) chart.columns.emplace_back(words);
  bool any = false;
  for (const std::string& arm : chart.rows) {
    auto& row = chart.cells.emplace_back();
    for (const char* of_pass : passes) {
      auto& cell = row.emplace_back();
      for (const std::string& layer : layers) {
        cell.push_back(run.figures.frozen(arm, metric, {1, of_pass, layer}));
        any = any || cell.back().has_value();
      }
    }
  }
  return any ? draw(chart) : note(fmt::format("{}: not measured.", title));
}

std::string gradient_table(const run_data& run, const char* metric) {
  std::vector<std::string> head{"arm", "layer"};
  for (const char* words : pass_titles) head.emplace_back(words);
  html_table table(head);
  for (const std::string& arm : compared_arms(run)) {
    for (const std::string& layer : layers_of(run, metric)) {
      std::vector<std::string> row{escaped(arm), escaped(layer_words(layer))};
      for (const char* of_pass : passes) {
        row.push_back(text_or_dash(run.figures.frozen(arm, metric, {1, of_pass, layer})));
      }
      table.row(row);
    }
  }
  return table.html();
}

std::optional<double> energy(const run_data& run, const char* arm, const role& r,
                             const char* part) {
  const auto e = run.figures.frozen(arm, fmt::format("energy.{}.{}", r.metric, part),
                                    {.outliers = 1, .layer = "all"});
  return e ? std::optional{e->value} : std::nullopt;
}

std::string energy_chart(const run_data& run, const char* arm,
                         const std::vector<const char*>& parts) {
  bar_chart chart{fmt::format("{}: energy of each part", arm), "energy over that of the whole error",
                  {}, {}, {}};
  for (const char* part : parts) chart.bars.emplace_back(part);
  for (const role& r : roles) {
    if (!energy(run, arm, r, "scale")) continue;
    chart.groups.emplace_back(r.words);
    auto& group = chart.values.emplace_back();
    for (const char* part : parts) group.push_back(energy(run, arm, r, part));
  }
  return chart.groups.empty() ? "" : draw(chart);
}

std::string energy_table(const run_data& run) {
  struct column {
    const char *part, *words;
    int decimals;
  };
  constexpr std::array<column, 10> columns{{{"scale", "scale", 3},
                                            {"deadzone", "deadzone", 4},
                                            {"grid", "grid", 3},
                                            {"clip", "clip", 4},
                                            {"scale_dead", "zeroed by the scale alone", 4},
                                            {"cosine_scale_grid", "cosine(scale, grid)", 3},
                                            {"sqnr_db", "SQNR, dB", 2},
                                            {"dead_fraction", "zeroed at s*", 4},
                                            {"dead_fraction_actual", "zeroed at s", 4},
                                            {"gain", "gain", 4}}};
  std::vector<std::string> head{"operand"};
  for (const column& c : columns) head.emplace_back(c.words);
  html_table table(head);
  for (const char* arm : {"mxfp4", "mxfp4-floor"}) {
    for (const role& r : roles) {
      if (!energy(run, arm, r, "scale")) continue;
      std::vector<std::string> row{fmt::format("{}: {}", arm, r.words)};
      for (const column& c : columns) {
        const auto v = energy(run, arm, r, c.part);
        row.push_back(v ? number_text(*v, c.decimals) : "\u2013");
      }
      table.row(row);
    }
  }
  return table.empty() ? "" : table.html();
}

std::string effect_table(const effects& e) {
  html_table table({"term", "injection", "operation"});
  for (const std::size_t t : {1, 2, 4, 3, 5, 6, 7}) {
    table.row({fmt::format("m({})", cell_names[t]), signed_cell(e.injection.moebius[t]),
               signed_cell(e.operation.moebius[t])});
  }
  for (std::size_t i = 0; i < 3; ++i) {
    table.row({fmt::format("Shapley, {}", component_words[i]), signed_cell(e.injection.shapley[i]),
               signed_cell(e.operation.shapley[i])});
  }
  table.row({"total", signed_cell(e.injection.total), signed_cell(e.operation.total)});
  table.row({"non-additivity", estimate_cell(e.injection.non_additivity),
             estimate_cell(e.operation.non_additivity)});
  return table.html();
}

/// Tables of one outlier factor, side by side.
std::string effect_tables(const run_data& run, long long outliers) {
  std::vector<std::string> tables;
  for (const figure& f : all_figures) {
    const auto e = effects_on(run.figures, f.metric, outliers);
    if (!e) continue;
    tables.push_back(fmt::format("<div>\n<h4>{}</h4>\n{}{}</div>\n", f.words, effect_table(*e),
                                 paragraph(culprit_sentence(*e))));
  }
  return tables.empty() ? "" : panels(tables);
}

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
      row.push_back(
          text_or_dash(run.figures.frozen(arm, f.metric, {factor, f.passes, f.layer})));
    }
    table.row(row);
  }
  return table.html();
}

}  // namespace

std::string gradient_section(const run_data& run) {
  if (compared_arms(run).empty()) {
    return section("gradient", "Gradient", note("Nothing was measured at frozen weights."));
  }
  std::string body = paragraph("The arm's gradient beside FP32's, on the same frozen weights and "
                               "rollouts: the cosine tells its direction, the projection "
                               "\u27E8\u011D, g\u27E9 / \u27E8g, g\u27E9 its size along g. In each "
                               "panel the named pass alone is quantized.");
  body += gradient_chart(run, "gradient_cosine", "Cosine to the FP32 gradient",
                         "cosine; each panel has its own axis");
  body += gradient_chart(run, "gradient_projection", "Projection on the FP32 gradient",
                         "projection; each panel has its own axis");
  body += fold("Cosine, all numbers", gradient_table(run, "gradient_cosine"));
  body += fold("Projection, all numbers", gradient_table(run, "gradient_projection"));
  return section("gradient", "Gradient at frozen weights", body);
}

std::string components_section(const run_data& run) {
  std::vector<std::string> charts;
  for (const auto& [arm, parts] :
       {std::pair{"mxfp4", std::vector<const char*>{"scale", "deadzone", "grid"}},
        std::pair{"mxfp4-floor", std::vector<const char*>{"scale", "deadzone", "grid", "clip"}}}) {
    const std::string chart = energy_chart(run, arm, parts);
    if (!chart.empty()) charts.push_back(chart);
  }
  if (charts.empty()) {
    return section("components", "Parts of the error",
                   note("The energies of the parts were not measured."));
  }
  std::string body = paragraph(
      "Energy of each part of the error over the energy of the whole, per operand of the quantized "
      "products, all layers together. The parts need not add up to 1: scale and grid are "
      "anticorrelated. Near-Gaussian blocks under the rule rceil have scale 1.74, deadzone 0.020, "
      "grid 0.73, cosine \u22120.66.");
  body += panels(charts, panel_width::half) + fold("All numbers", energy_table(run));
  return section("components", "Parts of the error in each operand", body);
}

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
    tables.push_back(
        fmt::format("<div>\n<h4>{}</h4>\n{}</div>\n", f.words, outlier_table(run, f)));
  }
  return section("outliers", "Outliers", body + panels(tables, panel_width::half));
}

std::string factorial_section(const run_data& run) {
  std::string body = paragraph(
      "Each figure over the eight cells of scale (S), deadzone (D) and grid (G). m(T) is what the parts "
      "of T do together beyond what fewer of them do; the seven terms add up to the total. A Shapley "
      "value is a part's own term, half of its pairs and a third of the triple; the three add up to "
      "the total too. Non-additivity is |total \u2212 main terms| over the sum of all |m|. Standard "
      "errors by a paired jackknife.");
  bool any = false;
  for (const long long outliers : run.figures.outliers()) {
    const std::string tables = effect_tables(run, outliers);
    if (tables.empty()) continue;
    const std::string title = fmt::format("Outliers \u00D7{}", outliers);
    body += any ? fold(title, tables) : heading(title) + tables;
    any = true;
  }
  if (!any) {
    body = note("The factorial was not measured: it needs the arms inj-s, inj-d, inj-g, inj-sd, "
                "inj-sg, inj-dg, op-sd and op-sg.");
  }
  return section("factorial", "Factorial of the three parts", body);
}

}  // namespace sim
