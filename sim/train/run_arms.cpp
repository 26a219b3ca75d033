// SPDX-License-Identifier: Apache-2.0
// sim/train/run_arms.cpp: arms run side by side, each as one task of the thread pool; nested tasks
// fill idle threads.
#include "sim/train/run_arms.h"

#include <fmt/format.h>

#include <variant>

#include "sim/policy/whole_loop.h"
#include "sim/ranks/agreement_of_ranks.h"
#include "sim/study/study_words.h"
#include "sim/train/additivity.h"
#include "sim/train/evaluation.h"
#include "sim/train/model_differences.h"
#include "sim/train/watched_step.h"

namespace sim {
namespace {

/// One arm in training.
class arm_run {
 public:
  arm_run(run_context& run, const arm& a, checkpoint& reached)
      : run_(run), arm_(a), reached_(reached), logged_(reached.rows.size()) {}

  void train(const std::vector<float>& weights) {
    reached_.state.reference = unowned(weights);
    if (reached_.state.weights.empty()) start(weights);
    gradient_computer gradient(run_.all);
    const std::size_t held_rows = reached_.state.step == 0 ? 0 : reached_.rows.size();
    while (!has_diverged(reached_.rows) && reached_.state.step < run_.last_step &&
           !run_.stopping()) {
      if (!step(gradient)) break;
    }
    const auto after = rows_after_divergence(run_.all, arm_, reached_.rows, run_.last_step);
    reached_.rows.insert(reached_.rows.end(), after.begin(), after.end());
    if (reached_.rows.size() != held_rows) run_.save(arm_.name, reached_);
    reached_.state.optimizer = {};
    if (logged_ < reached_.rows.size()) log_new();
  }

 private:
  void log_new() { run_.log_new(arm_.name, reached_.rows, logged_); }

  void start(const std::vector<float>& weights) {
    reached_.state.weights = weights;
    note_model_differences();
    evaluate();
    log_new();  // a stop before the first step keeps these rows
  }

  /// Returns whether the step did not diverge.
  bool step(gradient_computer& gradient) {
    training_state& state = reached_.state;
    const bool replayed = is_replayed(run_.constants(), arm_, state.step + 1);
    const training_state before = replayed ? state : training_state{};
    const auto outcome = watched_step(run_.all, arm_, gradient, state);
    if (const auto* why = std::get_if<divergence>(&outcome)) {
      reached_.rows.push_back(diverged_row(arm_.name, state.step + 1, *why));
      log_new();
      return false;
    }
    const rollout_step& done = std::get<rollout_step>(outcome);
    keep(done);
    if (replayed) replay(before, done);
    run_.tell({progress::kind::arm_step, arm_.name, state.step, run_.last_step,
               value_of(done.figures, "reward"), value_of(done.figures, "entropy")});
    evaluate();
    log_new();
    // Periodically, so that little is lost if the process is killed.
    const int interval = run_.constants().measurement.evaluation_interval;
    if (state.step % interval == 0) run_.save(arm_.name, reached_);
    return true;
  }

  void keep(const rollout_step& done) {
    const training_state& state = reached_.state;
    for (const figure& f : done.figures) {
      reached_.rows.push_back(training_row("train", arm_.name, state.step, f));
    }
    reached_.hashes.push_back({arm_.name, state.step, step_hash(state, done)});
    expect_equal(run_.all.ranks, "hash of the step", reached_.hashes.back().sha256,
                 "one of the machines computes wrong bits: --resume continues without it");
  }

  /// Adds rows of additivity; without them where a part of the error makes the step diverge.
  void replay(const training_state& before, const rollout_step& done) {
    try {
      const auto replayed = replayed_rows(run_.own, before, done);
      reached_.rows.insert(reached_.rows.end(), replayed.begin(), replayed.end());
    } catch (const divergence& d) {
      run_.tell({progress::kind::note, fmt::format("additivity at step {} is not measured: {}",
                                                   before.step + 1, d.what())});
    }
  }

  void note_model_differences() {
    const auto differences = model_differences(run_.own, arm_, reached_.state.weights);
    if (differences.empty()) return;
    for (const model_difference& d : differences) {
      reached_.rows.push_back({"train", arm_.name, 0, std::nullopt,
                               std::string(text_of(pass_words, d.pass)), "", "model_difference",
                               d.share(), std::nullopt});
    }
    run_.tell({progress::kind::note, line_of(run_.constants(), arm_, differences)});
  }

  void evaluate() {
    const training_state& state = reached_.state;
    for (const metric_row& row : evaluation_rows(run_.all, arm_, state)) {
      reached_.rows.push_back(row);
      if (row.arm != arm_.name || row.metric != "accuracy_sampled") continue;
      run_.tell(
          {progress::kind::arm_step, arm_.name, state.step, run_.last_step, {}, {}, row.value});
    }
  }

  run_context& run_;
  const arm& arm_;
  checkpoint& reached_;
  std::size_t logged_;
};

void guard(run_context& run, std::size_t i, const std::function<void()>& work) {
  run.failed.guard(i, fmt::format("arm '{}'", run.constants().arms[i].name), work);
}

}  // namespace

std::vector<checkpoint> held_arms(run_context& run) {
  const std::vector<arm>& arms = run.constants().arms;
  std::vector<checkpoint> result(arms.size());
  for (std::size_t i = 0; i < arms.size(); ++i) {
    guard(run, i, [&] {
      if (auto held = run.held_checkpoint(arms[i].name)) result[i] = std::move(*held);
    });
  }
  run.failed.raise();
  return result;
}

std::shared_ptr<const std::vector<float>> unowned(const std::vector<float>& weights) {
  return {std::shared_ptr<void>(), &weights};
}

void train_arms(run_context& run, const std::vector<float>& weights,
                std::vector<checkpoint>& arms) {
  const auto train = [&](std::ptrdiff_t index) {
    const auto i = static_cast<std::size_t>(index);
    const arm& a = run.constants().arms[i];
    if (a.training == arm_training::none || run.failed.any()) return;
    guard(run, i, [&] { arm_run(run, a, arms[i]).train(weights); });
  };
  if (run.all.ranks.size() == 1) {
    whole_loop(std::ssize(arms), train);
  } else {  // exchanges have one order on all ranks
    for (std::ptrdiff_t i = 0; i < std::ssize(arms); ++i) train(i);
  }
  run.failed.raise();
}

}  // namespace sim
