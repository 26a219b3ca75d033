// SPDX-License-Identifier: Apache-2.0
// sim/report/seeds/seed_runs.h: the runs of one study under several seeds, read from their folders.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "sim/report/run_data.h"

namespace sim {

/// By ascending seed, at least two.
///   digests  SHA-256 of each run's hashes.csv; empty where it has none
struct seed_runs {
  std::vector<run_data> runs;
  std::vector<std::string> digests;

  [[nodiscard]] const study& of() const { return runs.front().of; }
};

/// Whether a folder holds the runs of seeds, as seed-1, seed-2, ..., and is no run itself.
[[nodiscard]] bool is_folder_of_seeds(const std::filesystem::path& folder);

/// Runs in these folders, and in the seed-N folders of those that hold seeds.
///   errors  report_error: fewer than two runs, a seed twice, or studies that differ but for their
///           seed, with the key; study_error, golden::io::file_error
[[nodiscard]] seed_runs read_seeds(const std::vector<std::filesystem::path>& folders);

}  // namespace sim
