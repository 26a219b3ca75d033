// SPDX-License-Identifier: Apache-2.0
// sim/cli/decompose/decomposed_page.cpp: see decomposed_page.h.
#include "sim/cli/decompose/decomposed_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include "mx/number/element.h"
#include "mx/spelling.h"
#include "sim/cli/decompose/cosine_chart.h"
#include "sim/report/chart.h"
#include "sim/report/figure_text.h"
#include "sim/report/html.h"
#include "sim/report/page_frame.h"

namespace sim::cli {
namespace {

/// Most tensors or kinds in a chart of bars, and kinds in one of curves; the tables have all of
/// them.
constexpr std::size_t most_bars = 40, most_curves = 6;

std::string figure_cell(double value, int decimals) {
  return std::isnan(value) ? "\u2013" : sim::number_text(value, decimals);
}

std::string percent_cell(double share) { return figure_cell(100 * share, 2); }

/// The end of a long name, as layer names differ at the end, but for the word that most have in
/// common.
///   longest  in characters, from 4
std::string label_of(std::string name, std::size_t longest) {
  if (constexpr std::string_view common = ".weight"; name.ends_with(common)) {
    name.resize(name.size() - common.size());
  }
  if (characters_in(name) <= longest) return name;
  return "..." + std::string(last_characters(name, longest - 3));
}

template <class Named>
std::string bars_of(const std::vector<Named>& named) {
  bar_chart chart{"Energy of each part over the energy of the error",
                  "share of the total",
                  {},
                  {"scale", "deadzone", "grid", "clip"},
                  {}};
  for (std::size_t i = 0; i < named.size() && i < most_bars; ++i) {
    const mx::energy_sums& s = named[i].energy.sums;
    chart.groups.push_back(label_of(named[i].name, 22));
    chart.values.push_back({named[i].ratio(s.scale), named[i].ratio(s.deadzone),
                            named[i].ratio(s.grid), named[i].ratio(s.clip)});
  }
  std::string html = draw(chart);
  if (named.size() > most_bars) {
    html += note(fmt::format("The first {} of {} are drawn.", most_bars, named.size()));
  }
  return html;
}

std::string kinds_table(const decomposition& d) {
  html_table table({"kind", "tensors", "elements", "scale", "deadzone", "grid", "clip",
                    "cos(scale, grid)", "zeroed at s*, %", "zeroed at s, %", "SQNR, dB", "gain"});
  const auto row = [&table](const tensor_kind& kind) {
    const mx::energy_sums& s = kind.energy.sums;
    table.row({code(kind.name), grouped_text(static_cast<long long>(kind.tensors)),
               grouped_text(kind.energy.elements), figure_cell(kind.ratio(s.scale), 3),
               figure_cell(kind.ratio(s.deadzone), 3), figure_cell(kind.ratio(s.grid), 3),
               figure_cell(kind.ratio(s.clip), 3),
               figure_cell(kind.cosine(s.scale_grid, s.scale, s.grid), 3),
               percent_cell(kind.fraction(kind.energy.dead)),
               percent_cell(kind.fraction(kind.energy.dead_actual)), figure_cell(kind.sqnr_db(), 2),
               figure_cell(kind.gain(), 4)});
  };
  for (const tensor_kind& kind : d.kinds) row(kind);
  row(d.whole);
  return table.html();
}

/// The whole, if it is not of one kind, and the kinds with the most elements, as far as there are
/// styles.
curve_chart precision_chart(const decomposition& d) {
  std::vector<std::size_t> drawn(d.kinds.size());
  std::iota(drawn.begin(), drawn.end(), std::size_t{0});
  std::ranges::stable_sort(drawn, std::ranges::greater{},
                           [&d](std::size_t k) { return d.kinds[k].energy.elements; });
  if (drawn.size() > most_curves) drawn.resize(most_curves);
  curve_chart chart{
      "Error over its floor", "fraction bits of the scale", "error / floor", {}, {}, {}};
  const auto add = [&](const std::string& name, const auto& figures_at) {
    curve_line line{
        name, static_cast<int>(chart.lines.size()), {}, {}, {}, {}, curve_line::points::marked};
    for (const at_precision& p : d.precisions) {
      line.x.push_back(p.fraction_bits);
      line.y.push_back(over_floor(figures_at(p)));
    }
    chart.lines.push_back(std::move(line));
  };
  if (drawn.size() != 1) {
    add("all", [](const at_precision& p) -> const tensor_kind& { return p.whole; });
  }
  for (const std::size_t k : drawn) {
    add(label_of(d.kinds[k].name, 16),
        [k](const at_precision& p) -> const tensor_kind& { return p.kinds[k]; });
  }
  chart.x_range = x_range_of({chart});
  chart.y_range = y_range_of({chart});
  chart.y_range.first = std::min(chart.y_range.first, 1.0);
  return chart;
}

std::string precisions_table(const decomposition& d) {
  html_table table({"fraction bits", "SQNR, dB", "error / floor"});
  for (const at_precision& p : d.precisions) {
    table.row({fmt::format("{}", p.fraction_bits), figure_cell(p.whole.sqnr_db(), 2),
               figure_cell(over_floor(p.whole), 4)});
  }
  return table.html();
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
  return explored(table);
}

std::string meaning(const mx::format& element) {
  return note(fmt::format(
      "Q is the quantized value, Q* the one with the unrounded scale s* = amax / {:.9g}, the "
      "largest number of {}. scale: Q \u2212 Q* inside the range; clip: the same beyond it; "
      "deadzone: \u2212x where Q* is zero; grid: Q* \u2212 x elsewhere. Every element's parts add "
      "up to Q \u2212 x; \u201cviolations\u201d counts those that do not, in exact arithmetic. "
      "Shares exceed 1 together where parts cancel: see the cosine.",
      mx::to_binary32(mx::decode(element, element.max_code())), mx::spelling_of(element)));
}

}  // namespace

std::string page_of(const decomposition& d, const mx::format& element, const std::string& source) {
  std::vector<named_section> sections;
  const auto add = [&sections](std::string_view id, std::string_view name,
                               const std::string& body) {
    sections.push_back({id, name, section(id, name, body)});
  };
  if (d.kinds.size() < d.tensors.size()) {
    add("parts", "Shares of the error's energy",
        bars_of(d.kinds) + kinds_table(d) +
            note("A kind: tensors whose names differ in numbers, shown as *. Its energies are "
                 "sums.") +
            meaning(element));
  } else {
    add("parts", "Shares of the error's energy", bars_of(d.tensors) + meaning(element));
  }
  const std::string cosines = cosine_chart(d.tensors);
  if (d.tensors.size() > 1 && !cosines.empty()) {
    add("cosines", "Cosines of the parts",
        cosines +
            note("A histogram over the tensors. Pairs that are absent share no element, or one "
                 "of the two is zero in every tensor."));
  }
  if (!d.precisions.empty()) {
    add("precision", "Precision of the scale",
        draw(precision_chart(d)) + precisions_table(d) +
            note("The floor is the energy of deadzone and grid: what an exact scale leaves to "
                 "nearest even. A search over scales, or another rule, can go below it."));
  }
  add("tensors", "Tensors", table_of(d.tensors));
  return titled_page("Parts of the quantization error", source, sections);
}

}  // namespace sim::cli
