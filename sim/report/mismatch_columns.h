// SPDX-License-Identifier: Apache-2.0
// sim/report/mismatch_columns.h: the figures of importance weights that pages show, with their
// words.
#pragma once
#include <array>
#include <string>

#include "sim/report/run_data.h"

namespace sim {

/// A column of means over the steps: its head, and its figure.
struct mean_column {
  const char *head, *metric;
};

inline constexpr std::array mismatch_columns{
    mean_column{"mean", "sampling/importance_sampling_ratio/mean"},
    mean_column{"above the cap", "rollout_corr/rollout_is_ratio_fraction_high"},
    mean_column{"masked", "rollout_corr/rollout_rs_seq_masked_fraction"},
    mean_column{"effective sample size", "rollout_corr/rollout_is_eff_sample_size"},
    mean_column{"k1", "rollout_corr/kl"},
    mean_column{"k3", "rollout_corr/k3_kl"},
    mean_column{"KL", "rollout_corr/exact_kl"}};

/// What the columns are, as HTML.
[[nodiscard]] std::string words_of_mismatch(const study& s);

/// Whether the ratio was 1 for every token and the divergence 0, as measured at every step.
[[nodiscard]] bool measured_equal(const run_data& run, const std::string& arm);

}  // namespace sim
