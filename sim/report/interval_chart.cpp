// SPDX-License-Identifier: Apache-2.0
// sim/report/interval_chart.cpp: see interval_chart.h.
#include "sim/report/interval_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/report/figure_text.h"
#include "sim/report/svg.h"

namespace sim {
namespace {

constexpr double width = 400, side = 24, row_height = 18, axis_height = 18;
constexpr std::size_t most_numbers = 6;

bool is_drawn(const interval_row& r) {
  return std::isfinite(r.value) && std::isfinite(r.low) && std::isfinite(r.high);
}

/// Ends of the axis: all intervals, the reference and the margins around it.
std::pair<double, double> range_of(const interval_chart& chart) {
  double low = chart.reference, high = chart.reference;
  for (const interval_row& r : chart.rows) {
    if (!is_drawn(r)) continue;
    const double margin = std::max(r.margin.value_or(0), 0.0);
    low = std::min({low, r.low, r.value, chart.reference - margin});
    high = std::max({high, r.high, r.value, chart.reference + margin});
  }
  return {low, high};
}

std::string drawn(const interval_row& r, double reference, const scale_of_axis& x) {
  drawing out(width, row_height,
              fmt::format("{}: {} from {} to {}", r.name, number_text(r.value), number_text(r.low),
                          number_text(r.high)));
  const double middle = row_height / 2;
  if (r.margin && *r.margin > 0) {
    out.shade({x.at(reference - *r.margin), 0}, {x.at(reference + *r.margin), row_height});
  }
  out.line({x.at(reference), 0}, {x.at(reference), row_height}, "axis");
  out.whisker({x.at(r.low), middle}, {x.at(r.high), middle}, r.style);
  out.sign({x.at(r.value), middle}, mark::disc, r.style, r.name);
  return out.svg();
}

std::string axis_of(const axis_ticks& ticks, const scale_of_axis& x) {
  drawing out(width, axis_height, "axis");
  out.line({x.from, 1}, {x.to, 1}, "axis");
  // Every second number where all would touch.
  const std::size_t step = ticks.places.size() > most_numbers ? 2 : 1;
  for (std::size_t i = 0; i < ticks.places.size(); ++i) {
    const double v = ticks.places[i];
    out.line({x.at(v), 1}, {x.at(v), 4}, "axis");
    if (i % step == 0) {
      const std::string number = number_text(v, ticks.decimals);
      out.text({centred_between(x.at(v), number, 0, width), 15}, number, anchor::middle);
    }
  }
  return out.svg();
}

}  // namespace

std::string draw(const interval_chart& chart) {
  const auto [low, high] = range_of(chart);
  const axis_ticks ticks = ticks_between(low, high, 4);
  const scale_of_axis x{ticks.low, ticks.high, side, width - side};
  std::string rows;
  for (const interval_row& r : chart.rows) {
    rows += fmt::format("<p><span>{}</span> <span>{}</span></p>\n", escaped(r.name), r.text);
    if (is_drawn(r)) rows += drawn(r, chart.reference, x);
  }
  const bool any = std::ranges::any_of(chart.rows, is_drawn);
  const std::string title =
      chart.title.empty() ? "" : fmt::format("<h4>{}</h4>\n", escaped(chart.title));
  return fmt::format("<div class=\"intervals\">\n{}{}{}</div>\n", title, rows,
                     any ? axis_of(ticks, x) : "");
}

}  // namespace sim
