// SPDX-License-Identifier: Apache-2.0
// sim/report/seeds/frozen_over_seeds.cpp: each part of the error and each arm at frozen weights:
// means over seeds.
#include <fmt/format.h>

#include <array>

#include "sim/report/figure_text.h"
#include "sim/report/findings.h"
#include "sim/report/html.h"
#include "sim/report/interval_chart.h"
#include "sim/report/seeds/over_seeds.h"
#include "sim/report/seeds/seed_sections.h"

namespace sim {
namespace {

interval_row row_of(const std::string& name, const seed_estimate& e, int style) {
  return {name, signed_interval_cell(e), e.sample.mean, e.mean.low, e.mean.high, {}, style};
}

/// A term of a figure's factorial.
using term_of = double (*)(const factorial<estimate>&);
constexpr std::array<std::pair<const char*, term_of>, 3> parts{
    {{component_words[0], [](const factorial<estimate>& f) { return f.shapley[0].value; }},
     {component_words[1], [](const factorial<estimate>& f) { return f.shapley[1].value; }},
     {component_words[2], [](const factorial<estimate>& f) { return f.shapley[2].value; }}}};
/// The same under both meanings of a toggle.
constexpr term_of whole_effect = [](const factorial<estimate>& f) { return f.total.value; };

std::optional<seed_estimate> term_over_seeds(const seed_runs& seeds, const figure& f,
                                             const char* meaning, long long outliers,
                                             term_of term) {
  return over_seeds(seeds, [&](const run_data& run) -> std::optional<double> {
    const auto found = run.figures.terms(f.metric, meaning, outliers);
    return found ? std::optional{term(*found)} : std::nullopt;
  });
}

/// Shapley values of one figure under both meanings; empty where they were not measured.
std::string parts_chart(const seed_runs& seeds, const figure& f, long long outliers) {
  interval_chart chart{std::string(f.words), 0, {}};
  const auto add = [&](const std::string& name, const char* meaning, term_of term, int style) {
    const auto e = term_over_seeds(seeds, f, meaning, outliers, term);
    if (e) chart.rows.push_back(row_of(name, *e, style));
  };
  for (const auto& [words, term] : parts) {
    add(fmt::format("{}, injection", words), "injection", term, 2);
    add(fmt::format("{}, operation", words), "operation", term, 1);
  }
  add("all parts", "injection", whole_effect, 0);
  return chart.rows.empty() ? "" : draw(chart);
}

std::string parts_of_the_error(const seed_runs& seeds) {
  std::string body;
  for (const long long outliers : seeds.runs.front().figures.outliers()) {
    std::vector<std::string> charts;
    for (const figure& f : all_figures) {
      const std::string chart = parts_chart(seeds, f, outliers);
      if (!chart.empty()) charts.push_back(chart);
    }
    if (charts.empty()) continue;
    const std::string title = fmt::format("Parts of the error, outliers \u00D7{}", outliers);
    body += outliers == 1 ? heading(title) + panels(charts) : fold(title, panels(charts));
  }
  return body;
}

struct frozen_figure {
  const char *metric, *words, *passes, *layer;
};
constexpr std::array<frozen_figure, 6> frozen_figures{
    {{"kl", "KL to FP32, nats a token", "", ""},
     {"entropy", "Entropy, nats a token", "", ""},
     {"accuracy_sampled", "Sampled accuracy", "", ""},
     {"gradient_cosine", "Gradient cosine, all passes", "all", "all"},
     {"gradient_cosine", "Gradient cosine, backward passes", "backward", "all"},
     {"gradient_projection", "Gradient projection, all passes", "all", "all"}}};

/// An arm's figures without outliers, one row an arm.
std::string arms_table(const seed_runs& seeds) {
  std::vector<std::string> head{"arm"};
  for (const frozen_figure& f : frozen_figures) head.emplace_back(f.words);
  html_table table(head, narrow_screen::cards);
  for (const std::string& arm : arms_of(seeds.runs.front(), "frozen")) {
    std::vector<std::string> row{escaped(arm)};
    for (const frozen_figure& f : frozen_figures) {
      row.push_back(interval_cell(over_seeds(seeds, [&](const run_data& run) {
        const auto e = run.figures.frozen(arm, f.metric, {1, f.passes, f.layer});
        return e ? std::optional{e->value} : std::nullopt;
      })));
    }
    table.row(row);
  }
  return table.empty() ? note("Nothing was measured at frozen weights.") : table.html();
}

}  // namespace

std::string frozen_over_seeds(const seed_runs& seeds) {
  const std::string charts = parts_of_the_error(seeds);
  std::string body = paragraph(fmt::format(
      "Each seed's figure counts once: means over {}, with the 95 % interval of Student's t. What "
      "each part does is its Shapley value, under both meanings of a toggle: injection adds the "
      "part of the error to exact values, operation nests quantizers with chosen stages on.",
      seeds_text(seeds)));
  body += charts.empty() ? note("The factorial was not measured in every seed.") : charts;
  body += fold("Every arm at frozen weights, without outliers", arms_table(seeds));
  return section("components", "Parts of the error over seeds", body);
}

}  // namespace sim
