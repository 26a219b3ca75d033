// SPDX-License-Identifier: Apache-2.0
// sim/report/small_multiples.cpp: see small_multiples.h.
#include "sim/report/small_multiples.h"

#include "sim/report/html.h"

namespace sim {
namespace {

/// Style of an arm within its group: the reference and MXFP4 have fixed ones on the whole page.
int style_of(const arm_group& group, std::size_t place) {
  if (group.arms[place] == "fp32") return 0;
  if (group.arms[place] == "mxfp4") return 1;
  std::size_t others = 0;
  for (std::size_t i = 0; i < place; ++i) {
    if (group.arms[i] != "fp32" && group.arms[i] != "mxfp4") ++others;
  }
  return 2 + static_cast<int>(others % (styles - 2));
}

curve_chart chart_of(const arm_group& group, const multiples_words& words,
                     const std::function<curve_line(const std::string& arm)>& line_of) {
  curve_chart chart{group.title, words.x_label, words.y_label, {}, {}, {}};
  for (std::size_t i = 0; i < group.arms.size(); ++i) {
    curve_line line = line_of(group.arms[i]);
    if (line.y.empty()) continue;
    line.name = group.arms[i];
    line.style = style_of(group, i);
    chart.lines.push_back(std::move(line));
  }
  return chart;
}

}  // namespace

curve_line line_of(const curve& c) { return {"", 0, c.steps, c.values, {}, {}}; }

curve five_step_means(const curve& c) {
  curve result{{}, trailing_means(c.values, matched_steps)};
  const std::size_t first = c.steps.size() - result.values.size();
  result.steps.assign(c.steps.begin() + static_cast<std::ptrdiff_t>(first), c.steps.end());
  return result;
}

std::string small_multiples(const std::vector<arm_group>& groups, const multiples_words& words,
                            const std::function<curve_line(const std::string& arm)>& line_of) {
  std::vector<curve_chart> charts;
  for (const arm_group& group : groups) {
    curve_chart chart = chart_of(group, words, line_of);
    if (!chart.lines.empty()) charts.push_back(std::move(chart));
  }
  if (charts.empty()) return note(words.otherwise);
  const auto x_range = x_range_of(charts), y_range = y_range_of(charts);
  std::vector<std::string> drawn;
  for (curve_chart& chart : charts) {
    chart.x_range = x_range;
    chart.y_range = y_range;
    drawn.push_back(draw(chart));
  }
  return panels(drawn);
}

}  // namespace sim
