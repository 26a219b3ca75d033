// SPDX-License-Identifier: Apache-2.0
// sim/train/run_warm_up.cpp: see run_warm_up.h.
#include "sim/train/run_warm_up.h"

#include <fmt/format.h>

#include <algorithm>

#include "golden/io/counted.h"
#include "sim/pretrained/starting_policy.h"
#include "sim/train/warm_up.h"

namespace sim {
namespace {

/// The schedule of a warm-up that a checkpoint continues.
warm_up_schedule schedule_so_far(const warm_up_constants& constants,
                                 const std::vector<metric_row>& rows) {
  warm_up_schedule result(constants);
  for (const metric_row& row : rows) {
    if (row.metric == "accuracy_sampled") result.take(static_cast<int>(*row.step), row.value);
  }
  return result;
}

checkpoint start_of_warm_up(run_context& run) {
  if (auto held = run.held_checkpoint(warm_up_name)) return std::move(*held);
  checkpoint start;
  start.state.weights = starting_weights(run.all.table, run.constants().seed);
  if (run.constants().warm_up.steps == 0) {
    start.hashes = {{warm_up_name, 0, step_hash(start.state, {})}};
  }
  return start;
}

void train(run_context& run, checkpoint& reached, warm_up_schedule& schedule) {
  training_state& state = reached.state;
  gradient_computer gradient(run.all);
  std::size_t logged = reached.rows.size();
  while (!schedule.is_over(state.step) && !run.stopping()) {
    const std::vector<figure> figures = warm_up_step(run.all, gradient, state, schedule);
    for (const figure& f : figures) {
      reached.rows.push_back(training_row("warm-up", "fp32", state.step, f));
    }
    run.log_new(warm_up_name, reached.rows, logged);
    run.tell({progress::kind::warm_up, "", state.step, run.constants().warm_up.steps,
              value_of(figures, "loss")});
    if (schedule.is_over(state.step)) {
      reached.hashes.push_back({warm_up_name, state.step, step_hash(state, {})});
    }
  }
}

void tell_end(run_context& run, const checkpoint& reached, const warm_up_schedule& schedule) {
  const auto measured = std::ranges::find(reached.rows.rbegin(), reached.rows.rend(),
                                          "accuracy_sampled", &metric_row::metric);
  const int steps = reached.state.step;
  if (measured == reached.rows.rend()) return;  // the initial weights are kept
  run.tell({progress::kind::gate, "", steps, steps, {}, {}, measured->value});
  if (!schedule.has_target() || schedule.reached()) return;
  run.tell(
      {progress::kind::note,
       fmt::format("the warm-up did not reach a sampled accuracy of {:.2f} in {}",
                   run.constants().warm_up.target_accuracy, golden::io::counted(steps, "step"))});
}

}  // namespace

void warm_up(run_context& run, checkpoint& reached) {
  reached = start_of_warm_up(run);
  warm_up_schedule schedule = schedule_so_far(run.constants().warm_up, reached.rows);
  train(run, reached, schedule);
  run.save(warm_up_name, reached);
  if (!schedule.is_over(reached.state.step)) return;
  reached.state.optimizer = {};  // not needed any more: GRPO starts with fresh moments
  tell_end(run, reached, schedule);
}

}  // namespace sim
