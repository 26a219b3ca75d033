// SPDX-License-Identifier: Apache-2.0
// sim/report/scatter_chart.h: many points over two axes, in a few colours, with a front through the
// best of them.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace sim {

/// row    number of the page's table row with the point's details
/// style  colour; that of group i is i + 1
struct scatter_mark {
  double x = 0, y = 0;
  int style = 0;
  std::size_t row = 0;
  enum class place : unsigned char { behind, on_front } at = place::behind;
};

struct scatter_chart {
  std::string title, x_label, y_label;
  std::vector<std::string> groups;  ///< names of the colours, fewer than `styles`
  std::vector<scatter_mark> marks;
};

/// Finite marks, and a step line through those on the front.
[[nodiscard]] std::string draw(const scatter_chart& chart);

}  // namespace sim
