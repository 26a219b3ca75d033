// SPDX-License-Identifier: Apache-2.0
// sim/report/four_cells.h: trained under FP32 or an arm, evaluated under FP32 or that arm.
#pragma once
#include <optional>
#include <string>

#include "sim/report/run_data.h"

namespace sim {

/// Accuracies of one arm at one step, by what trained the weights and what evaluates them.
struct four_cells {
  double fp32_fp32, fp32_arm, arm_fp32, arm_arm;

  [[nodiscard]] double inference() const { return fp32_arm - fp32_fp32; }
  [[nodiscard]] double learning() const { return arm_fp32 - fp32_fp32; }
  [[nodiscard]] double interaction() const { return arm_arm - fp32_arm - arm_fp32 + fp32_fp32; }
};

/// No value where one of them was not measured.
[[nodiscard]] std::optional<four_cells> cells_of(const run_data& run, const std::string& arm,
                                                 double step);

/// Last step at which the reference was evaluated.
[[nodiscard]] std::optional<double> last_step_of_cells(const run_data& run);

inline constexpr const char* cells_title =
    "What an arm's arithmetic costs in learning, and what in inference";
inline constexpr const char* words_of_cells =
    "<b>Inference</b>: the FP32-trained weights under the arm, minus that. <b>Learning</b>: the "
    "arm's weights under FP32, minus that. <b>Interaction</b>: what is left of the arm's own loss.";

}  // namespace sim
