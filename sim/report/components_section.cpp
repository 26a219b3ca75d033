// SPDX-License-Identifier: Apache-2.0
// sim/report/components_section.cpp: energies of the error components in each operand.
#include <fmt/format.h>

#include <array>

#include "sim/report/chart.h"
#include "sim/report/figure_text.h"
#include "sim/report/html.h"
#include "sim/report/run_data.h"

namespace sim {
namespace {

struct role {
  const char *metric, *words;
};
constexpr std::array<role, 6> roles{{{"x", "X, forward"},
                                     {"w_forward", "W, forward"},
                                     {"w_dgrad", "W, dgrad"},
                                     {"dy_dgrad", "dY, dgrad"},
                                     {"dy_wgrad", "dY, wgrad"},
                                     {"x_wgrad", "X, wgrad"}}};

std::optional<double> energy(const run_data& run, const char* arm, const role& r,
                             const char* part) {
  const auto e = run.figures.frozen(arm, fmt::format("energy.{}.{}", r.metric, part),
                                    {.outliers = 1, .layer = "all"});
  return e ? std::optional{e->value} : std::nullopt;
}

std::string energy_chart(const run_data& run, const char* arm,
                         const std::vector<const char*>& parts) {
  bar_chart chart{fmt::format("{}: energy of each part", arm),
                  "energy over that of the whole error",
                  {},
                  {},
                  {}};
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

}  // namespace

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
      "grid 0.73, cosine \u22120.66. dY is without a token's share of the loss: with "
      "that, as dgrad and wgrad quantize it, its numbers lie elsewhere between two scales.");
  body += panels(charts, panel_width::half) + fold("All numbers", energy_table(run));
  return section("components", "Parts of the error in each operand", body);
}

}  // namespace sim
