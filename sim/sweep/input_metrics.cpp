// SPDX-License-Identifier: Apache-2.0
// sim/sweep/input_metrics.cpp: see input_metrics.h.
#include "sim/sweep/input_metrics.h"

#include <algorithm>

namespace sim {

bool has_metric(const sweep_study& s, const sweep_input& in, const sweep_metric& m) {
  if (is_of_policies(m.of) != in.policy.has_value()) return false;
  return m.of == sweep_measure::total || s.measures_what(m.of);
}

std::string_view usual_metric(const sweep_study& s, const sweep_input& in) {
  if (!in.policy) return "sqnr_db";
  return s.measures_what(sweep_measure::frozen) ? "kl" : "accuracy_final_in_fp32";
}

std::string_view usual_metric(const sweep_study& s) {
  const auto numbers =
      std::ranges::find_if(s.inputs, [](const sweep_input& in) { return !in.policy; });
  return usual_metric(s, numbers == s.inputs.end() ? s.inputs.front() : *numbers);
}

const sweep_metric& shown_metric(const sweep_study& s, const sweep_input& in) {
  const sweep_metric& named = sweep_metrics[*metric_named(s.page_metric)];
  return has_metric(s, in, named) ? named : sweep_metrics[*metric_named(usual_metric(s, in))];
}

}  // namespace sim
