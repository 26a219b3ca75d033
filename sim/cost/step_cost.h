// SPDX-License-Identifier: Apache-2.0
// sim/cost/step_cost.h: what each kind of work costs on this machine, from steps of small policies.
#pragma once
#include <vector>

#include "sim/cost/step_work.h"

namespace sim {

/// A step that was run.
///   seconds  of the process' CPU time on one thread
struct timed_step {
  step_work work;
  double seconds = 0;
};

/// Seconds for one of each kind.
struct work_rates {
  std::array<double, work_kinds> of{};

  [[nodiscard]] double seconds(const step_work& w) const noexcept;
};

/// The rates, none below 0, with the least sum of squares of relative errors.
[[nodiscard]] work_rates rates_of(const std::vector<timed_step>& steps);

/// The policies that rates are measured on, and a larger one that is held out.
[[nodiscard]] std::vector<sized_policy> calibration_policies();
[[nodiscard]] sized_policy held_out_policy();

/// CPU time of one step of an arm, on this thread alone, from initial weights; the least of
/// several.
[[nodiscard]] timed_step time_step(const study& s, const arm& a, const sized_policy& p);

/// Bytes of the process at the peak of such steps, and as step_peak predicts them.
struct peak_bytes {
  double measured = 0, predicted = 0;
};
[[nodiscard]] peak_bytes measure_peak(const study& s, const arm& a, const sized_policy& p);

/// Wall time of a step on one thread over that on so many.
[[nodiscard]] double speed_up(const study& s, const arm& a, const sized_policy& p, int threads);

}  // namespace sim
