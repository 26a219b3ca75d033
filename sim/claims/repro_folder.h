// SPDX-License-Identifier: Apache-2.0
// sim/claims/repro_folder.h: the folder of a claims file: repro.json with the hashes of claims and
// studies, and a run folder for each seed, those of other studies than the main one in NAME/.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "sim/claims/seed_values.h"
#include "sim/study/input_error.h"

namespace sim {

/// Folders that cannot be continued or merged; the message says what to do.
struct repro_error : input_error {
  using input_error::input_error;
};

/// The file by which a folder is one of claims.
inline constexpr const char* repro_record_name = "repro.json";

class repro_folder {
 public:
  /// A folder that need not exist.
  ///   errors  repro_error: it holds runs of another claims file or study
  repro_folder(std::filesystem::path path, const claims_plan& plan);

  /// Makes it, with its record.
  void make() const;

  [[nodiscard]] std::filesystem::path of_run(const planned_run& run) const;
  /// Whether a run is finished.
  ///   errors  repro_error: the run is one of another study
  [[nodiscard]] bool is_finished(const planned_run& run) const;
  [[nodiscard]] std::vector<planned_run> missing_runs() const;
  [[nodiscard]] seed_metrics metrics_of(const planned_run& run) const;

  /// Copies the finished seeds of other folders, without their checkpoints, in place of unfinished
  /// runs of them. Files of other names stay.
  ///   errors  repro_error: other claims, another study, or a seed that two folders have;
  ///           run_error: a process runs a seed in the place of a copy. Nothing is copied then
  void merge(const std::vector<std::string>& others) const;

 private:
  std::filesystem::path path_;
  const claims_plan& plan_;
};

}  // namespace sim
