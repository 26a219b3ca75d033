// SPDX-License-Identifier: Apache-2.0
// sim/claims/repro_folder.h: the folder of a claims file: repro.json with the hashes of claims and
// study, and a run folder for each seed.
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

class repro_folder {
 public:
  /// A folder that need not exist.
  ///   errors  repro_error: it holds runs of another claims file or study
  repro_folder(std::filesystem::path path, const claims_plan& plan);

  /// Makes it, with its record.
  void make() const;

  [[nodiscard]] std::filesystem::path of_seed(std::uint64_t seed) const;
  /// Whether the run of a seed is finished.
  ///   errors  repro_error: the run is one of another study
  [[nodiscard]] bool is_finished(std::uint64_t seed) const;
  [[nodiscard]] std::vector<std::uint64_t> missing_seeds() const;
  [[nodiscard]] seed_metrics metrics_of(std::uint64_t seed) const;

  /// Copies the finished seeds of other folders, without their checkpoints.
  ///   errors  repro_error: other claims, another study, or a seed that two folders have; nothing
  ///           is copied then
  void merge(const std::vector<std::string>& others) const;

 private:
  std::filesystem::path path_;
  const claims_plan& plan_;
};

}  // namespace sim
