// SPDX-License-Identifier: Apache-2.0
// sim/report/bar_chart.cpp: horizontal bars in groups, each with its value.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/report/chart.h"
#include "sim/report/figure_text.h"

namespace sim {
namespace {

constexpr double width = 580, left = 150, right = 56, top = 52, bottom = 40;
constexpr double bar_height = 13, group_gap = 12;
constexpr std::array<int, 4> bar_styles{1, 2, 3, 4};

double group_height(const bar_chart& chart) {
  return bar_height * static_cast<double>(chart.bars.size()) + group_gap;
}

double largest(const bar_chart& chart) {
  double result = 0;
  for (const auto& group : chart.values) {
    for (const auto& v : group) {
      if (v && std::isfinite(*v)) result = std::max(result, *v);
    }
  }
  return result > 0 ? result : 1;
}

std::string bar_text(double v) { return number_text(v, v < 1 ? 3 : 2); }

void draw_group(drawing& out, const bar_chart& chart, std::size_t g, const scale_of_axis& x) {
  double y = top + group_height(chart) * static_cast<double>(g) + group_gap / 2;
  const double middle = y + bar_height * static_cast<double>(chart.bars.size()) / 2;
  out.text({left - 10, middle + 4}, chart.groups[g], anchor::end, "name");
  for (std::size_t b = 0; b < chart.bars.size(); ++b, y += bar_height) {
    const auto& v = chart.values[g][b];
    if (!v || !std::isfinite(*v)) continue;
    out.bar({left, y}, x.at(*v) - left, bar_height - 2, bar_styles[b % 4],
            fmt::format("{}, {}: {}", chart.groups[g], chart.bars[b], bar_text(*v)));
    out.text({x.at(*v) + 5, y + bar_height - 3}, bar_text(*v), anchor::start, "small");
  }
}

}  // namespace

std::string draw(const bar_chart& chart) {
  const double end = top + group_height(chart) * static_cast<double>(chart.groups.size());
  const axis_ticks ticks = ticks_between(0, largest(chart), 5);
  const scale_of_axis x{0, ticks.high, left, width - right};
  drawing out(width, end + bottom, chart.title);
  out.text({0, 16}, chart.title, anchor::start, "title");
  double legend = left;
  for (std::size_t b = 0; b < chart.bars.size(); ++b) {
    out.bar({legend, 28}, 11, 11, bar_styles[b % 4], "");
    out.text({legend + 16, 38}, chart.bars[b], anchor::start, key_class(bar_styles[b % 4]));
    legend += 40 + 7.0 * static_cast<double>(chart.bars[b].size());
  }
  for (const double v : ticks.places) {
    out.line({x.at(v), top}, {x.at(v), end}, "grid");
    out.text({x.at(v), end + 16}, number_text(v, ticks.decimals), anchor::middle);
  }
  for (std::size_t g = 0; g < chart.groups.size(); ++g) draw_group(out, chart, g, x);
  out.line({left, top}, {left, end}, "axis");
  out.text({(left + width - right) / 2, end + 33}, chart.x_label, anchor::middle);
  return out.svg();
}

}  // namespace sim
