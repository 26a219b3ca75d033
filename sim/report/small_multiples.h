// SPDX-License-Identifier: Apache-2.0
// sim/report/small_multiples.h: curves of many arms, in panels of a few with the same axes.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "sim/report/chart.h"
#include "sim/report/run_data.h"

namespace sim {

/// Labels of the axes, and the remark that replaces panels without any curve.
struct multiples_words {
  std::string x_label, y_label, otherwise;
};

/// An unnamed line through a curve.
[[nodiscard]] curve_line line_of(const curve& c);
/// Trailing means over five steps.
[[nodiscard]] curve five_step_means(const curve& c);

/// One panel a group; an arm has the same style wherever it is drawn with the same others.
///   line_of  an arm's curve; its name and style are set here, and one without points is left out
[[nodiscard]] std::string small_multiples(
    const std::vector<arm_group>& groups, const multiples_words& words,
    const std::function<curve_line(const std::string& arm)>& line_of);

}  // namespace sim
