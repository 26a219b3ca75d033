// SPDX-License-Identifier: Apache-2.0
// sim/report/scatter_chart.cpp: see scatter_chart.h.
#include "sim/report/scatter_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "sim/report/figure_text.h"
#include "sim/report/svg.h"

namespace sim {
namespace {

constexpr double width = 620, height = 400, left = 52, right = 14, bottom = 44, legend_row = 17;
constexpr int a_legend_row = 4;  // names

struct scatter_axes {
  axis_ticks x, y;
  scale_of_axis across, up;
};

bool is_drawn(const scatter_mark& m) { return std::isfinite(m.x) && std::isfinite(m.y); }

bool is_lacking(const scatter_mark& m) { return std::isnan(m.x) || std::isnan(m.y); }

/// How many marks have no place, and why; empty where each has one.
std::string not_drawn(const scatter_chart& chart) {
  const auto out = std::ranges::count_if(chart.marks, std::not_fn(is_drawn));
  const auto lacking = std::ranges::count_if(chart.marks, is_lacking);
  std::vector<std::string> reasons;
  if (out > lacking) reasons.push_back(fmt::format("{} with an infinite value", out - lacking));
  if (lacking > 0) reasons.push_back(fmt::format("{} without a value", lacking));
  return reasons.empty() ? "" : fmt::format("not drawn: {}", fmt::join(reasons, ", "));
}

template <class Number>
axis_ticks ticks_of(const scatter_chart& chart, const Number& number) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const scatter_mark& m : chart.marks) {
    if (is_drawn(m)) low = std::min(low, number(m)), high = std::max(high, number(m));
  }
  return low > high ? ticks_between(0, 1, 6) : ticks_between(low, high, 6);
}

double top_of(const scatter_chart& chart) {
  const auto rows = (chart.groups.size() + a_legend_row - 1) / a_legend_row;
  return 30 + legend_row * static_cast<double>(rows);
}

scatter_axes axes_of(const scatter_chart& chart) {
  scatter_axes a;
  a.x = ticks_of(chart, [](const scatter_mark& m) { return m.x; });
  a.y = ticks_of(chart, [](const scatter_mark& m) { return m.y; });
  a.across = {a.x.low, a.x.high, left, width - right};
  a.up = {a.y.low, a.y.high, height - bottom, top_of(chart)};
  return a;
}

void draw_axes(drawing& out, const scatter_chart& chart, const scatter_axes& a) {
  for (const double v : a.x.places) {
    const double x = a.across.at(v);
    out.line({x, a.up.to}, {x, a.up.from}, "grid");
    out.text({x, a.up.from + 16}, number_text(v, a.x.decimals), anchor::middle);
  }
  for (const double v : a.y.places) {
    const double y = a.up.at(v);
    out.line({left, y}, {width - right, y}, "grid");
    out.text({left - 6, y + 4}, number_text(v, a.y.decimals), anchor::end);
  }
  out.text({(left + width - right) / 2, height - 8}, chart.x_label, anchor::middle);
  out.upright_text({12, (a.up.from + a.up.to) / 2}, chart.y_label);
}

void draw_legend(drawing& out, const scatter_chart& chart) {
  const double column = (width - left) / a_legend_row;
  for (std::size_t i = 0; i < chart.groups.size(); ++i) {
    const point at{left + column * static_cast<double>(i % a_legend_row),
                   34 + legend_row * static_cast<double>(i / a_legend_row)};
    out.sign({at.x, at.y - 4}, mark::disc, static_cast<int>(i) + 1, "");
    out.text({at.x + 9, at.y}, chart.groups[i], anchor::start,
             "name " + key_class(static_cast<int>(i) + 1));
  }
}

/// From point to point of the front: what a cost buys, up to the next one.
void draw_front(drawing& out, const scatter_chart& chart, const scatter_axes& a) {
  std::vector<scatter_mark> front;
  for (const scatter_mark& m : chart.marks) {
    if (is_drawn(m) && m.at == scatter_mark::place::on_front) front.push_back(m);
  }
  std::ranges::sort(front, {}, &scatter_mark::x);
  std::vector<point> steps;
  for (const scatter_mark& m : front) {
    if (!steps.empty()) steps.push_back({a.across.at(m.x), steps.back().y});
    steps.push_back({a.across.at(m.x), a.up.at(m.y)});
  }
  if (!steps.empty()) steps.push_back({width - right, steps.back().y});
  out.path(steps, 0, "front");
}

}  // namespace

std::string draw(const scatter_chart& chart) {
  const scatter_axes a = axes_of(chart);
  drawing out(width, height, chart.title);
  out.text({0, 14}, chart.title, anchor::start, "title");
  if (const std::string note = not_drawn(chart); !note.empty()) {
    out.text({width - right, 14}, note, anchor::end);
  }
  draw_legend(out, chart);
  draw_axes(out, chart, a);
  draw_front(out, chart, a);
  for (const scatter_mark& m : chart.marks) {
    if (!is_drawn(m)) continue;
    const bool best = m.at == scatter_mark::place::on_front;
    out.dot({a.across.at(m.x), a.up.at(m.y)}, best ? 4.5 : 3, m.style, m.row);
  }
  return fmt::format("<div class=\"marks\">{}</div>\n", out.svg());
}

}  // namespace sim
