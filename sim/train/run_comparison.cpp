// SPDX-License-Identifier: Apache-2.0
// sim/train/run_comparison.cpp: see run_comparison.h.
#include "sim/train/run_comparison.h"

#include <variant>

#include "sim/train/additivity.h"
#include "sim/train/run_arms.h"
#include "sim/train/watched_step.h"

namespace sim {

std::vector<metric_row> compared_trainings(const run_context& run,
                                           const std::vector<float>& initial,
                                           const std::vector<checkpoint>& arms) {
  const study& s = run.constants();
  if (s.measurement.additivity_steps.empty() || !has_additivity(s)) return {};
  std::vector<trained_weights> ended;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    const checkpoint& c = arms[i];
    if (c.state.weights.empty() || c.state.step != run.last_step) continue;
    ended.push_back({s.arms[i].name, c.state.weights});
  }
  return trained_rows(initial, ended, run.last_step);
}

std::optional<metric_row> comparison_floor(const run_context& run,
                                           const std::vector<float>& initial,
                                           const std::vector<float>& trained) {
  const setting other(with_other_rollouts(run.constants()), run.all.by, run.all.ranks);
  gradient_computer gradient(other);
  training_state state{initial, {}, 0, unowned(initial)};
  while (state.step < run.last_step) {  // saved nowhere: the training of one arm is short
    if (run.stopping()) throw stop_requested{};
    const auto outcome = watched_step(other, other.constants.arms.front(), gradient, state);
    if (std::holds_alternative<divergence>(outcome)) return {};
  }
  return floor_row(initial, trained, state.weights, run.last_step);
}

}  // namespace sim
