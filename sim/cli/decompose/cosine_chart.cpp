// SPDX-License-Identifier: Apache-2.0
// sim/cli/decompose/cosine_chart.cpp: see cosine_chart.h.
#include "sim/cli/decompose/cosine_chart.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/report/chart.h"

namespace sim::cli {
namespace {

constexpr int bins = 40;  // of width 1/20

struct pair_of_parts {
  const char* name;
  double mx::energy_sums::*product;
  double mx::energy_sums::*one;
  double mx::energy_sums::*other;
};

// No element has both scale and clip, or both deadzone and grid.
constexpr std::array<pair_of_parts, 4> pairs{
    pair_of_parts{"scale, grid", &mx::energy_sums::scale_grid, &mx::energy_sums::scale,
                  &mx::energy_sums::grid},
    pair_of_parts{"scale, deadzone", &mx::energy_sums::scale_deadzone, &mx::energy_sums::scale,
                  &mx::energy_sums::deadzone},
    pair_of_parts{"grid, clip", &mx::energy_sums::grid_clip, &mx::energy_sums::grid,
                  &mx::energy_sums::clip},
    pair_of_parts{"deadzone, clip", &mx::energy_sums::deadzone_clip, &mx::energy_sums::deadzone,
                  &mx::energy_sums::clip}};

int bin_of(double cosine) {
  return std::clamp(static_cast<int>(std::floor((cosine + 1) * bins / 2)), 0, bins - 1);
}

double edge_of(int bin) { return 2.0 * bin / bins - 1; }

/// The outline of the histogram: two points a bin.
curve_line outline_of(const pair_of_parts& pair, const std::vector<decomposed_tensor>& tensors) {
  std::array<int, bins> counts{};
  for (const decomposed_tensor& t : tensors) {
    const mx::energy_sums& s = t.energy.sums;
    const double cosine = t.cosine(s.*pair.product, s.*pair.one, s.*pair.other);
    if (std::isfinite(cosine)) ++counts[static_cast<std::size_t>(bin_of(cosine))];
  }
  curve_line line;
  line.name = pair.name;
  if (std::ranges::count(counts, 0) == bins) return line;
  for (int bin = 0; bin < bins; ++bin) {
    for (const int edge : {bin, bin + 1}) {
      line.x.push_back(edge_of(edge));
      line.y.push_back(counts[static_cast<std::size_t>(bin)]);
    }
  }
  return line;
}

}  // namespace

std::string cosine_chart(const std::vector<decomposed_tensor>& tensors) {
  curve_chart chart{"Cosine of two parts of the error", "cosine", "tensors", {-1, 1}, {}, {}};
  for (const pair_of_parts& pair : pairs) {
    curve_line line = outline_of(pair, tensors);
    if (line.x.empty()) continue;
    line.style = static_cast<int>(chart.lines.size()) + 1;
    chart.lines.push_back(std::move(line));
  }
  if (chart.lines.empty()) return "";
  chart.y_range = {0, y_range_of({chart}).second};
  return draw(chart);
}

}  // namespace sim::cli
