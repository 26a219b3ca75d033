// SPDX-License-Identifier: Apache-2.0
// sim/train/run.h: a whole study: warm-up, measurement at frozen weights, training of all arms.
// Everything is resumable: finished pieces are in DIR/checkpoints, each written whole.
#pragma once
#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "sim/policy/value_products.h"
#include "sim/ranks/rank_group.h"
#include "sim/report/metrics.h"
#include "sim/study/input_error.h"
#include "sim/study/study.h"

namespace sim {

/// A folder or a policy that prevents the run; the message says what to do.
struct run_error : input_error {
  using input_error::input_error;
};

/// Treatment of a folder that is not empty.
///   fresh   it must contain no run, or the same study, finished
///   resume  continues an unfinished run of the same study; starts one where there is none
///   force   removes a run of another study first; continues one of the same study
enum class existing_run : std::uint8_t { fresh, resume, force };

/// One progress report. Figures that it is not about have no value.
struct progress {
  enum class kind : std::uint8_t { warm_up, gate, cell, arm_step, note } what;
  std::string name;  ///< arm or cell; the text of a note
  int done = 0, total = 0;
  std::optional<double> reward = {}, entropy = {};  ///< warm_up: loss in `reward`
  std::optional<double> accuracy = {};              ///< sampled
};

struct run_request {
  sim::study study;  ///< with its problems loaded (sim/task/problem_file.h)
  std::filesystem::path folder;
  existing_run existing = existing_run::fresh;
  int last_step = 0;  ///< training stops here; 0: at the study's last step
  /// Set externally to a signal number: the run stops at the next step, with checkpoints written.
  const std::atomic<int>* stop = nullptr;
  /// Called from any thread, one call at a time.
  std::function<void(const progress&)> report;
  /// Computes the products of FP32 numbers; changes no bit.
  const value_products* products = &bulk_products();
  /// Processes that compute the run together, each with its own request; they change no bit. Rank 0
  /// reads and writes the folder.
  const rank_group* ranks = &this_process();
  /// Called as `report` is, with the metrics of the warm-up and of arms as their steps are done,
  /// those of policies beside the study's own excepted.
  ///   run  "warm-up", or the arm's name
  std::function<void(const std::string& run, std::span<const metric_row> rows)> log = nullptr;
};

///   finished          everything is complete now
///   finished_before   it was complete already; nothing was changed
///   stopped           the stop flag was set; --resume continues
enum class run_end : std::uint8_t { finished, finished_before, stopped };

/// Runs the study and writes metrics.csv, metrics.jsonl, hashes.csv, study.toml and checkpoints.
///   errors  run_error, study_error, golden::io::file_error
[[nodiscard]] run_end run_study(const run_request& request);

}  // namespace sim
