// SPDX-License-Identifier: Apache-2.0
// sim/cli/train/event_log.h: the metrics of a run for TensorBoard, while it goes on: a folder of
// event files for the warm-up and for each arm, of which each is one of TensorBoard's runs. Tags
// are the names of metrics.jsonl, which are TRL's where TRL has them, behind what TRL's trainer
// puts in front: `train/reward`, `eval/accuracy_sampled`.
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "sim/report/event_file.h"
#include "sim/report/metrics.h"

namespace sim::cli {

/// Of another arm than the run's own, the tag ends in that arm's name.
///   run  an arm, or the warm-up
[[nodiscard]] std::string tag_of(const std::string& run, const metric_row& row);

class event_log {
 public:
  ///   folder  of the folders; they are made as rows come
  explicit event_log(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Adds rows in the order of their steps; rows without a step are left out. The first ones of a
  /// run begin a file: what earlier files of the run have from their step on is superseded.
  void take(const std::string& run, std::span<const metric_row> rows);

 private:
  event_file& file_of(const std::string& run, int first_step);

  std::filesystem::path folder_;
  std::map<std::string, std::unique_ptr<event_file>> files_;
};

}  // namespace sim::cli
