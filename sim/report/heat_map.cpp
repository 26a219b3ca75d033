// SPDX-License-Identifier: Apache-2.0
// sim/report/heat_map.cpp: shades that leave the page's ink readable, in light and in dark.
#include "sim/report/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/report/svg.h"

namespace sim {
namespace {

constexpr double top = 46, bottom = 4, right = 2, row_height = 21, column_width = 56;
constexpr int above = 1, below = 2;  // styles: the page's orange and blue
/// Of the deepest cell: text in the page's ink keeps a contrast above 4.5.
constexpr double deepest = 0.6;

/// Room for the widest row's name; a short one may be of wide letters alone.
double left_of(const heat_map& chart) {
  std::size_t longest = 0;
  for (const std::string& row : chart.rows) longest = std::max(longest, row.size());
  return 7.8 * static_cast<double>(longest) + 20;
}

double width_of(const heat_map& chart) {
  return std::max(left_of(chart) + column_width * static_cast<double>(chart.columns.size()) + right,
                  8.4 * static_cast<double>(chart.title.size()));
}

double largest_of(const heat_map& chart) {
  double result = 0;
  for (const auto& row : chart.cells) {
    for (const auto& cell : row) {
      if (cell && std::isfinite(cell->distance))
        result = std::max(result, std::abs(cell->distance));
    }
  }
  return result;
}

/// 0 where nothing is measured, or differs.
double depth_of(const heat_cell& cell, double largest) {
  if (std::isinf(cell.distance)) return deepest;
  if (std::isnan(cell.distance) || largest == 0) return 0;
  return deepest * std::sqrt(std::abs(cell.distance) / largest);
}

void draw_cell(drawing& out, point corner, const std::optional<heat_cell>& cell, double largest) {
  const point middle{corner.x + column_width / 2, corner.y + row_height / 2 + 4};
  if (!cell) return out.text(middle, "\u2013", anchor::middle);
  out.tint(corner, column_width - 2, row_height - 2, cell->distance < 0 ? below : above,
           depth_of(*cell, largest), cell->hover);
  out.text(middle, cell->text, anchor::middle, "cell");
}

std::string svg_of(const heat_map& chart) {
  const double left = left_of(chart), largest = largest_of(chart);
  drawing out(width_of(chart), top + row_height * static_cast<double>(chart.rows.size()) + bottom,
              chart.title);
  out.text({0, 14}, chart.title, anchor::start, "title");
  for (std::size_t c = 0; c < chart.columns.size(); ++c) {
    out.text({left + column_width * (static_cast<double>(c) + 0.5), top - 7}, chart.columns[c],
             anchor::middle, "name");
  }
  for (std::size_t r = 0; r < chart.rows.size(); ++r) {
    const double y = top + row_height * static_cast<double>(r);
    out.text({left - 8, y + row_height / 2 + 4}, chart.rows[r], anchor::end, "name");
    for (std::size_t c = 0; c < chart.columns.size(); ++c) {
      draw_cell(out, {left + column_width * static_cast<double>(c), y}, chart.cells[r][c], largest);
    }
  }
  return out.svg();
}

}  // namespace

std::string draw(const std::vector<heat_map>& charts) {
  double widest = 0;
  for (const heat_map& chart : charts) widest = std::max(widest, width_of(chart));
  std::string parts;
  for (const heat_map& chart : charts) {
    parts += fmt::format("<div class=\"scroll\"><div style=\"width:{:.0f}px\">\n{}</div></div>\n",
                         width_of(chart), svg_of(chart));
  }
  return fmt::format(
      "<div class=\"heat\" style=\"grid-template-columns:repeat(auto-fit,minmax(min(100%,"
      "{:.0f}px),1fr))\">\n{}</div>\n",
      widest, parts);
}

}  // namespace sim
