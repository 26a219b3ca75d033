// SPDX-License-Identifier: Apache-2.0
// sim/report/chart.h: the three charts of a report: curves, dots with whiskers, and bars.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/report/svg.h"
#include "sim/study/statistics.h"

namespace sim {

/// One line of a curve chart, labelled at its right end.
///   low, high  of a band around it, one a point; empty without a band
struct curve_line {
  std::string name;
  int style = 0;
  std::vector<double> x, y, low, high;
  enum class points { hidden, marked } marks = points::hidden;
};

/// Curves over a common axis. Charts to be compared have the same ranges.
struct curve_chart {
  std::string title, x_label, y_label;
  std::pair<double, double> x_range, y_range;
  std::vector<curve_line> lines;
};

[[nodiscard]] std::string draw(const curve_chart& chart);

/// Smallest and largest value of the lines of several charts, ignoring NaN and Inf; with bands as
/// far as they reach beyond the lines by no more than four times the lines' own range.
[[nodiscard]] std::pair<double, double> y_range_of(const std::vector<curve_chart>& charts);
[[nodiscard]] std::pair<double, double> x_range_of(const std::vector<curve_chart>& charts);

/// Estimates as dots, with whiskers of one standard error: one row a name, one panel a column, each
/// with its own axis, and several marks in a cell.
struct dot_chart {
  std::string title, x_label;
  std::vector<std::string> rows, columns, marks;
  /// By row, column, mark.
  std::vector<std::vector<std::vector<std::optional<estimate>>>> cells;
  std::optional<double> reference;  ///< a line across all panels
};

[[nodiscard]] std::string draw(const dot_chart& chart);

/// Horizontal bars in groups.
struct bar_chart {
  std::string title, x_label;
  std::vector<std::string> groups, bars;
  /// By group, bar.
  std::vector<std::vector<std::optional<double>>> values;
};

[[nodiscard]] std::string draw(const bar_chart& chart);

}  // namespace sim
