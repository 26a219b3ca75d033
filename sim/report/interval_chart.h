// SPDX-License-Identifier: Apache-2.0
// sim/report/interval_chart.h: estimates with intervals, as rows of text and a dot with whiskers
// over one axis. The text is HTML, so that it wraps on a narrow screen.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace sim {

/// name: plain text; text: the figures, HTML; margin: half of the width that counts as equal to the
/// reference
struct interval_row {
  std::string name, text;
  double value = 0, low = 0, high = 0;
  std::optional<double> margin = {};
  int style = 2;
};

struct interval_chart {
  std::string title;  ///< plain text
  double reference = 0;
  std::vector<interval_row> rows;
};

/// Rows with values that are not finite have their text alone.
[[nodiscard]] std::string draw(const interval_chart& chart);

}  // namespace sim
