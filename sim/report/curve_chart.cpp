// SPDX-License-Identifier: Apache-2.0
// sim/report/curve_chart.cpp: curves with labels at their right ends.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/report/chart.h"
#include "sim/report/figure_text.h"

namespace sim {
namespace {

constexpr double width = 400, height = 270;
constexpr double left = 58, right = 116, top = 30, bottom = 42;
constexpr double label_distance = 13;

struct end_label {
  double y;       ///< where the line ends
  double placed;  ///< where its label is placed
  std::size_t line;
};

/// Moves labels apart, keeping their order and staying inside the chart.
void spread(std::vector<end_label>& labels) {
  std::ranges::stable_sort(labels, {}, &end_label::y);
  double lowest = top;
  for (end_label& label : labels) {
    label.placed = std::max(label.y, lowest);
    lowest = label.placed + label_distance;
  }
  double highest = height - bottom + 2;
  for (auto label = labels.rbegin(); label != labels.rend(); ++label) {
    label->placed = std::min(label->placed, highest);
    highest = label->placed - label_distance;
  }
}

void draw_axes(drawing& out, const curve_chart& chart, const scale_of_axis& x,
               const scale_of_axis& y, const axis_ticks& x_ticks, const axis_ticks& y_ticks) {
  for (const double v : y_ticks.places) {
    out.line({left, y.at(v)}, {width - right, y.at(v)}, "grid");
    out.text({left - 6, y.at(v) + 4}, number_text(v, y_ticks.decimals), anchor::end);
  }
  // Fewer numbers where all would touch.
  const std::size_t step = 1 + x_ticks.places.size() / 8;
  for (std::size_t i = 0; i < x_ticks.places.size(); ++i) {
    const double v = x_ticks.places[i];
    out.line({x.at(v), height - bottom}, {x.at(v), height - bottom + 4}, "axis");
    if (i % step != 0) continue;
    out.text({x.at(v), height - bottom + 16}, number_text(v, x_ticks.decimals), anchor::middle);
  }
  out.line({left, height - bottom}, {width - right, height - bottom}, "axis");
  out.text({left, 16}, chart.title, anchor::start, "title");
  out.text({(left + width - right) / 2, height - 6}, chart.x_label, anchor::middle);
  out.upright_text({11, (top + height - bottom) / 2}, chart.y_label);
}

std::vector<point> points_of(const curve_line& line, const scale_of_axis& x,
                             const scale_of_axis& y) {
  std::vector<point> result;
  for (std::size_t i = 0; i < line.x.size(); ++i) {
    if (std::isfinite(line.y[i])) result.push_back({x.at(line.x[i]), y.at(line.y[i])});
  }
  return result;
}

/// As the page's script reads them.
std::string numbers_of(const curve_line& line) {
  std::string text;
  for (std::size_t i = 0; i < line.x.size(); ++i) {
    if (!std::isfinite(line.y[i])) continue;
    text += fmt::format("{}{:.6g} {:.6g}", text.empty() ? "" : ";", line.x[i], line.y[i]);
  }
  return text;
}

/// The band of a line, cut at the ends of the axis.
void draw_band(drawing& out, const curve_line& line, const scale_of_axis& x,
               const scale_of_axis& y) {
  const auto cut = [&](double v) { return std::clamp(y.at(v), y.to, y.from); };
  std::vector<point> outline;
  for (std::size_t i = 0; i < line.low.size(); ++i) {
    outline.push_back({x.at(line.x[i]), cut(line.low[i])});
  }
  for (std::size_t i = line.high.size(); i-- > 0;) {
    outline.push_back({x.at(line.x[i]), cut(line.high[i])});
  }
  out.area(outline, line.style, line.name);
}

void draw_labels(drawing& out, const curve_chart& chart, std::vector<end_label> labels,
                 const std::vector<point>& ends) {
  spread(labels);
  for (const end_label& label : labels) {
    const curve_line& line = chart.lines[label.line];
    const point end = ends[label.line];
    out.line({end.x + 3, end.y}, {width - right + 12, label.placed}, "leader");
    out.label({width - right + 15, label.placed + 4}, line.name, anchor::start, line.style);
  }
}

template <class Axis>
std::pair<double, double> range_of(const std::vector<curve_chart>& charts, Axis axis) {
  std::pair<double, double> result{INFINITY, -INFINITY};
  for (const curve_chart& chart : charts) {
    for (const curve_line& line : chart.lines) {
      for (const double v : line.*axis) {
        if (!std::isfinite(v)) continue;
        result = {std::min(result.first, v), std::max(result.second, v)};
      }
    }
  }
  return result.first <= result.second ? result : std::pair{0.0, 1.0};
}

bool has_bands(const std::vector<curve_chart>& charts) {
  return std::ranges::any_of(charts, [](const curve_chart& chart) {
    return std::ranges::any_of(chart.lines, [](const curve_line& l) { return !l.low.empty(); });
  });
}

}  // namespace

std::pair<double, double> y_range_of(const std::vector<curve_chart>& charts) {
  const auto [low, high] = range_of(charts, &curve_line::y);
  if (!has_bands(charts)) return {low, high};
  // An interval of few seeds is many times as wide as what the lines show.
  const double reach = 4 * (high - low);
  return {std::min(low, std::max(low - reach, range_of(charts, &curve_line::low).first)),
          std::max(high, std::min(high + reach, range_of(charts, &curve_line::high).second))};
}

std::pair<double, double> x_range_of(const std::vector<curve_chart>& charts) {
  return range_of(charts, &curve_line::x);
}

std::string draw(const curve_chart& chart) {
  const axis_ticks x_ticks = ticks_between(chart.x_range.first, chart.x_range.second, 5);
  const axis_ticks y_ticks = ticks_between(chart.y_range.first, chart.y_range.second, 5);
  const scale_of_axis x{x_ticks.low, x_ticks.high, left, width - right};
  const scale_of_axis y{y_ticks.low, y_ticks.high, height - bottom, top};
  drawing out(width, height,
              fmt::format("{}: {} by {}", chart.title, chart.y_label, chart.x_label));
  draw_axes(out, chart, x, y, x_ticks, y_ticks);
  for (const curve_line& line : chart.lines) draw_band(out, line, x, y);
  std::vector<end_label> labels;
  std::vector<point> ends(chart.lines.size());
  // The reference is drawn last, on top.
  for (std::size_t i = chart.lines.size(); i-- > 0;) {
    const curve_line& line = chart.lines[i];
    const std::vector<point> points = points_of(line, x, y);
    if (points.empty()) continue;
    out.path(points, line.style, line.name, numbers_of(line));
    if (line.marks == curve_line::points::marked) {
      for (const point& p : points) out.sign(p, mark::disc, line.style, line.name);
    }
    ends[i] = points.back();
    labels.push_back({points.back().y, 0, i});
  }
  draw_labels(out, chart, labels, ends);
  return out.svg();
}

}  // namespace sim
