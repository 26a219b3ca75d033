// SPDX-License-Identifier: Apache-2.0
// sim/sweep/input_metrics.h: which metrics an input has, and which one stands for it.
#pragma once
#include <string_view>

#include "sim/sweep/sweep_row.h"
#include "sim/sweep/sweep_study.h"

namespace sim {

/// Whether the study measures a metric on an input.
[[nodiscard]] bool has_metric(const sweep_study& s, const sweep_input& in, const sweep_metric& m);

/// The metric by which an input's points are compared where the study names none that it has:
/// "sqnr_db" of numbers; of a policy "kl", or "accuracy_final_in_fp32" where it is trained alone.
[[nodiscard]] std::string_view usual_metric(const sweep_study& s, const sweep_input& in);

/// That of the first input of numbers; of the first input where all are policies.
[[nodiscard]] std::string_view usual_metric(const sweep_study& s);

/// The metric of the page's figures about an input: page_metric if it has it, else the usual one.
[[nodiscard]] const sweep_metric& shown_metric(const sweep_study& s, const sweep_input& in);

}  // namespace sim
