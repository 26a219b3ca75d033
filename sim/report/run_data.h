// SPDX-License-Identifier: Apache-2.0
// sim/report/run_data.h: the data of a report, and its sections.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/report/metrics.h"
#include "sim/study/study.h"

namespace sim {

struct run_data {
  study of;
  std::string hash;
  metrics figures;
};

/// Arms drawn in one chart. Every group begins with the reference and plain MXFP4.
struct arm_group {
  std::string title;
  std::vector<std::string> arms;
};

/// Arms of the study, in its order, that have rows of a phase.
[[nodiscard]] std::vector<std::string> arms_of(const run_data& run, std::string_view phase);
[[nodiscard]] std::vector<arm_group> groups_of(const run_data& run, std::string_view phase);

/// "MXFP4 rceil, macro block 128 (8 bits)", "nvfp4 ideal, nearest-even", for tables.
[[nodiscard]] std::string words_of(const mx::operand& f);

/// "the first 1 and the last 1 of 4 layers and attention: BF16"; empty where nothing is exempt.
[[nodiscard]] std::string words_of(const exempt_products& e);
/// "W of forward, dgrad where .*down_proj matches: BF16"; empty without rules.
[[nodiscard]] std::string words_of(const std::vector<format_rule>& rules);

/// Number of trained values.
[[nodiscard]] long long parameters_of(const policy_shape& p);

/// "chained addition, 3 digits", "sums of 7 numbers modulo 7"
[[nodiscard]] std::string words_of_task(const task_shape& t);

/// Products whose contraction is shorter than a macro block: "dgrad of k and v (64)".
[[nodiscard]] std::vector<std::string> short_contractions(const policy_shape& p,
                                                          const task_shape& t, int macro_block);

/// Bias of the gradient of rollouts under another arithmetic than that of training, as HTML.
[[nodiscard]] std::string rollout_bias_table(const run_data& run);

/// Whether the warm-up reached its target accuracy; no value where it had none.
[[nodiscard]] std::optional<bool> warm_up_reached(const run_data& run);

// Each section as HTML; what was not measured is replaced by one line that says so.
[[nodiscard]] std::string cells_section(const run_data& run);
[[nodiscard]] std::string summary_section(const run_data& run);
[[nodiscard]] std::string training_section(const run_data& run);
[[nodiscard]] std::string entropy_section(const run_data& run);
[[nodiscard]] std::string gradient_section(const run_data& run);
/// On other tokens than those of the study's measurement: "texts".
[[nodiscard]] std::string gradient_section_on(const run_data& run, std::string_view tokens);
[[nodiscard]] std::string components_section(const run_data& run);
[[nodiscard]] std::string outlier_section(const run_data& run);
[[nodiscard]] std::string factorial_section(const run_data& run);
[[nodiscard]] std::string additivity_section(const run_data& run);
[[nodiscard]] std::string mismatch_section(const run_data& run);
[[nodiscard]] std::string cost_section(const run_data& run);
[[nodiscard]] std::string arms_section(const run_data& run);
[[nodiscard]] std::string notes_section(const run_data& run);

}  // namespace sim
