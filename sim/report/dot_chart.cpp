// SPDX-License-Identifier: Apache-2.0
// sim/report/dot_chart.cpp: estimates as dots with whiskers of one standard error.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/report/chart.h"
#include "sim/report/figure_text.h"

namespace sim {
namespace {

constexpr double width = 1180, left = 132, right = 14, gap = 22, top = 70, bottom = 44;
constexpr double row_height = 27;
constexpr std::array<mark, 4> shapes{mark::disc, mark::ring, mark::diamond, mark::triangle};
constexpr std::array<int, 4> mark_styles{0, 2, 3, 4};

double height_of(const dot_chart& chart) {
  return top + row_height * static_cast<double>(chart.rows.size()) + bottom;
}

/// Of a whisker; none where one of its ends is not finite.
double half_width(const estimate& e) {
  const bool ends =
      std::isfinite(e.value - e.standard_error) && std::isfinite(e.value + e.standard_error);
  return ends ? e.standard_error : 0;
}

/// Range of the marks and whiskers of a column, with a margin.
std::pair<double, double> range_of(const dot_chart& chart, std::size_t column) {
  double low = chart.reference.value_or(INFINITY), high = chart.reference.value_or(-INFINITY);
  for (const auto& row : chart.cells) {
    for (const auto& e : row[column]) {
      if (!e || !std::isfinite(e->value)) continue;
      low = std::min(low, e->value - half_width(*e));
      high = std::max(high, e->value + half_width(*e));
    }
  }
  if (low > high) return {0, 1};
  const double margin = high > low ? 0.04 * (high - low) : 0.01;
  return ends_of_axis(low - margin, high + margin);
}

void draw_legend(drawing& out, const dot_chart& chart) {
  double x = left;
  for (std::size_t m = 0; m < chart.marks.size(); ++m) {
    out.sign({x + 4, 36}, shapes[m % shapes.size()], mark_styles[m % 4], "");
    out.text({x + 14, 40}, chart.marks[m], anchor::start, key_class(mark_styles[m % 4]));
    x += 40 + 7.0 * static_cast<double>(chart.marks[m].size());
  }
  out.text({x + 10, 40}, "whiskers: \u00B1 one standard error", anchor::start);
}

void draw_cell(drawing& out, const dot_chart& chart, std::size_t r, std::size_t c,
               const scale_of_axis& x) {
  const auto& cell = chart.cells[r][c];
  const double step = cell.size() > 1 ? 15.0 / static_cast<double>(cell.size() - 1) : 0;
  const double first = top + row_height * (static_cast<double>(r) + 0.5) - (step > 0 ? 7.5 : 0);
  for (std::size_t m = 0; m < cell.size(); ++m) {
    const auto& e = cell[m];
    if (!e || !std::isfinite(e->value)) continue;
    const double y = first + step * static_cast<double>(m);
    const int style = mark_styles[m % 4];
    out.whisker({x.at(e->value - half_width(*e)), y}, {x.at(e->value + half_width(*e)), y}, style);
    out.sign({x.at(e->value), y}, shapes[m % shapes.size()], style,
             fmt::format("{}, {}, {}: {}", chart.rows[r], chart.columns[c], chart.marks[m],
                         estimate_text(*e)));
  }
}

void draw_panel(drawing& out, const dot_chart& chart, std::size_t c, const scale_of_axis& x,
                const axis_ticks& ticks) {
  const double end = height_of(chart) - bottom;
  for (const double v : ticks.places) {
    if (v < x.low || v > x.high) continue;
    out.line({x.at(v), top}, {x.at(v), end}, "grid");
    const std::string number = number_text(v, ticks.decimals);
    out.text({centred_between(x.at(v), number, x.from - gap / 2, x.to + gap / 2), end + 16}, number,
             anchor::middle);
  }
  if (chart.reference)
    out.line({x.at(*chart.reference), top}, {x.at(*chart.reference), end}, "axis");
  out.text({(x.from + x.to) / 2, top - 6}, chart.columns[c], anchor::middle, "title");
  for (std::size_t r = 0; r < chart.rows.size(); ++r) draw_cell(out, chart, r, c, x);
}

}  // namespace

std::string draw(const dot_chart& chart) {
  const double height = height_of(chart);
  const auto columns = static_cast<double>(chart.columns.size());
  const double panel = (width - left - right - gap * (columns - 1)) / columns;
  drawing out(width, height, chart.title);
  out.text({0, 16}, chart.title, anchor::start, "title");
  draw_legend(out, chart);
  for (std::size_t r = 0; r < chart.rows.size(); ++r) {
    const double y = top + row_height * static_cast<double>(r);
    out.line({0, y}, {width - right, y}, "row");
    out.text({left - 10, y + row_height / 2 + 4}, chart.rows[r], anchor::end, "name");
  }
  for (std::size_t c = 0; c < chart.columns.size(); ++c) {
    const double from = left + static_cast<double>(c) * (panel + gap);
    const auto [low, high] = range_of(chart, c);
    draw_panel(out, chart, c, {low, high, from, from + panel}, ticks_between(low, high, 3));
  }
  out.text({(left + width - right) / 2, height - 8}, chart.x_label, anchor::middle);
  return fmt::format("<div class=\"scroll\">\n{}</div>\n", out.svg());
}

}  // namespace sim
