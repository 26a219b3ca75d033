// SPDX-License-Identifier: Apache-2.0
// sim/train/run.cpp: the phases of a study, one after the other. No result depends on the
// scheduling of their tasks.
#include "sim/train/run.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include "sim/train/available_memory.h"
#include "sim/train/divergence.h"
#include "sim/train/limited_threads.h"
#include "sim/train/memory_limit.h"
#include "sim/train/run_arms.h"
#include "sim/train/run_cells.h"
#include "sim/train/run_comparison.h"
#include "sim/train/run_warm_up.h"
#include "sim/train/thread_limit.h"

namespace sim {
namespace {

/// The measurement at frozen weights, without rescaled channels, of another policy.
study study_of_policy(const study& s, const std::string& name, const policy_outliers& outliers) {
  study result = s;
  result.name += ", " + name;
  result.policy.outliers = outliers;
  result.outliers.policies.clear();
  result.outliers.factors = {1};
  for (arm& a : result.arms) a.training = arm_training::none;
  return result;
}

class study_run {
 public:
  explicit study_run(const run_request& request) : run_(request) {}

  run_end run() {
    if (run_.folder.finished()) return run_end::finished_before;
    expect_threads(tbb::this_task_arena::max_concurrency() - 1);
    try {
      warm_up(run_, warmed_up_);
      if (run_.stopping()) return leave(run_end::stopped);
      frozen_rows_ = frozen_rows(run_, weights());
      measure_other_policies();
      train();
      if (!run_.stopping()) compare_trainings();
    } catch (const stop_requested&) {
      return leave(run_end::stopped);
    } catch (const divergence& d) {  // arms catch their own
      refuse(d);
    }
    if (run_.stopping()) return leave(run_end::stopped);
    leave(run_end::finished);
    run_.folder.mark_finished(run_.last_step);
    return run_end::finished;
  }

 private:
  [[nodiscard]] const std::vector<float>& weights() const { return warmed_up_.state.weights; }

  /// Each is the run of a study of its own, in a folder of its own.
  void measure_other_policies() {
    for (const auto& [name, outliers] : run_.constants().outliers.policies) {
      run_.tell({progress::kind::note, fmt::format("policy '{}':", name)});
      run_request other = run_.request;
      other.study = study_of_policy(run_.constants(), name, outliers);
      other.folder = run_.request.folder / "policies" / name;
      other.log = nullptr;
      other.existing =
          std::filesystem::exists(other.folder) ? existing_run::resume : existing_run::fresh;
      if (study_run(other).run() == run_end::stopped) throw stop_requested{};
      if (run_.all.ranks.rank() != 0) continue;  // it writes the rows
      const metrics found = read_metrics(other.folder / "metrics.jsonl");
      for (metric_row row : found.rows()) {
        row.phase += "-" + name;
        frozen_rows_.push_back(std::move(row));
      }
    }
  }

  void train() {
    arms_ = held_arms(run_);
    has_all_rows_ = true;
    run_.folder.mark_unfinished();
    train_arms(run_, weights(), arms_);
  }

  void compare_trainings() {
    trained_rows_ = compared_trainings(run_, weights(), arms_);
    if (trained_rows_.empty()) return;
    const auto floor = comparison_floor(run_, weights(), arms_.front().state.weights);
    if (floor) trained_rows_.push_back(*floor);
  }

  [[noreturn]] void refuse(const divergence& d) const {
    const bool first = warmed_up_.state.step == 0 && !run_.constants().policy.source.weights;
    throw run_error("the warm-up diverged at step {}: {}; lower warm_up.learning_rate{}",
                    warmed_up_.state.step + 1, d.what(),
                    first ? ", or policy.embedding_std, input_std and output_std" : "");
  }

  run_end leave(run_end how) {
    std::vector<metric_row> rows = warmed_up_.rows;
    std::vector<hash_row> hashes = warmed_up_.hashes;
    rows.insert(rows.end(), frozen_rows_.begin(), frozen_rows_.end());
    for (const checkpoint& c : arms_) {
      rows.insert(rows.end(), c.rows.begin(), c.rows.end());
      hashes.insert(hashes.end(), c.hashes.begin(), c.hashes.end());
    }
    rows.insert(rows.end(), trained_rows_.begin(), trained_rows_.end());
    const std::uint64_t seed = run_.constants().seed;
    if (has_all_rows_) {
      run_.folder.write_metrics(rows, hashes, seed);
    } else {  // an earlier run may have come farther than this one, which stops early
      run_.folder.write_metrics_unless_fewer(rows, hashes, seed);
    }
    return how;
  }

  run_context run_;
  checkpoint warmed_up_;
  std::vector<metric_row> frozen_rows_, trained_rows_;
  bool has_all_rows_ = false;  ///< those of earlier runs in this folder included
  std::vector<checkpoint> arms_;
};

}  // namespace

run_end run_study(const run_request& request) {
  return_freed_blocks();
  const int threads = threads_of(request.study.run);
  expect_memory(request.study, threads, memory_need_of(request.study, threads));
  return on_threads(threads, [&] { return study_run(request).run(); });
}

}  // namespace sim
