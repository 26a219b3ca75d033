// SPDX-License-Identifier: Apache-2.0
// sim/report/heat_map.h: a figure by row and column as shaded cells, each with its number.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace sim {

/// distance  from the reference, which colours the cell: orange above 0, blue below, deeper
/// with the
///           square root of its share of the chart's largest
/// text      the number in the cell
struct heat_cell {
  double distance = 0;
  std::string text, hover;
};

struct heat_map {
  std::string title;
  std::vector<std::string> rows, columns;
  /// By row, column; without a value: a dash.
  std::vector<std::vector<std::optional<heat_cell>>> cells;
};

/// The charts side by side, as many as fit; one that is wider than the screen scrolls inside
/// itself.
[[nodiscard]] std::string draw(const std::vector<heat_map>& charts);

}  // namespace sim
