// SPDX-License-Identifier: Apache-2.0
// sim/cli/decompose/decomposed_page.cpp: the page of `mxprism decompose --report`.
#include <fmt/format.h>

#include <cmath>

#include "sim/cli/decompose/decomposed_tensor.h"
#include "sim/report/chart.h"
#include "sim/report/figure_text.h"
#include "sim/report/html.h"

namespace sim::cli {
namespace {

/// Most tensors in the chart; the table has all of them.
constexpr std::size_t most_bars = 40;

std::string figure_cell(double value, int decimals) {
  return std::isfinite(value) ? sim::number_text(value, decimals) : "\u2013";
}

std::string percent_cell(double share) { return figure_cell(100 * share, 2); }

/// The end of a long name, as layer names differ at the end. UTF-8 characters are kept whole.
std::string label_of(const std::string& name) {
  constexpr std::size_t longest = 22, kept = 19;
  if (name.size() <= longest) return name;
  std::size_t begin = name.size() - kept;
  while (begin < name.size() && (static_cast<unsigned char>(name[begin]) & 0xC0U) == 0x80U) ++begin;
  return "..." + name.substr(begin);
}

std::string chart_of(const std::vector<decomposed_tensor>& tensors) {
  bar_chart chart{"Energy of each part over the energy of the error",
                  "share of the total",
                  {},
                  {"scale", "deadzone", "grid", "clip"},
                  {}};
  for (std::size_t i = 0; i < tensors.size() && i < most_bars; ++i) {
    const decomposed_tensor& t = tensors[i];
    const mx::energy_sums& s = t.energy.sums;
    chart.groups.push_back(label_of(t.name));
    chart.values.push_back(
        {t.ratio(s.scale), t.ratio(s.deadzone), t.ratio(s.grid), t.ratio(s.clip)});
  }
  return draw(chart);
}

std::string table_of(const std::vector<decomposed_tensor>& tensors) {
  html_table table({"tensor", "shape", "blocks", "left out", "scale", "deadzone", "grid", "clip",
                    "cos(scale, grid)", "zeroed at s*, %", "zeroed at s, %", "SQNR, dB", "gain",
                    "violations"});
  for (const decomposed_tensor& t : tensors) {
    const mx::energy_sums& s = t.energy.sums;
    table.row({code(t.name), code(ordered_json(t.shape).dump()), grouped_text(t.energy.blocks),
               grouped_text(t.energy.special_blocks), figure_cell(t.ratio(s.scale), 3),
               figure_cell(t.ratio(s.deadzone), 3), figure_cell(t.ratio(s.grid), 3),
               figure_cell(t.ratio(s.clip), 3),
               figure_cell(t.cosine(s.scale_grid, s.scale, s.grid), 3),
               percent_cell(t.fraction(t.energy.dead)),
               percent_cell(t.fraction(t.energy.dead_actual)), figure_cell(t.sqnr_db(), 2),
               figure_cell(t.gain(), 4), grouped_text(t.energy.identity_violations)});
  }
  return table.html();
}

std::string meaning() {
  return note(
      "Q is the quantized value, Q* the one with the unrounded scale s* = amax / max (6 of E2M1). "
      "scale: Q \u2212 Q* inside the range; clip: the same beyond it; deadzone: \u2212x where Q* "
      "is zero; grid: Q* \u2212 x elsewhere. Every element's parts add up to Q \u2212 x; "
      "\u201cviolations\u201d counts those that do not, in exact arithmetic. Shares exceed 1 "
      "together where parts cancel: see the cosine.");
}

}  // namespace

std::string page_of(const std::vector<decomposed_tensor>& tensors, const std::string& source) {
  std::string body =
      fmt::format("<h1>Parts of the quantization error</h1>\n{}", paragraph(escaped(source)));
  body += section("parts", "Shares of the error's energy", chart_of(tensors) + meaning());
  if (tensors.size() > most_bars) {
    body += note(fmt::format("The first {} of {} tensors are drawn.", most_bars, tensors.size()));
  }
  body += section("tensors", "Tensors", table_of(tensors));
  return html_page("Parts of the quantization error", body);
}

}  // namespace sim::cli
