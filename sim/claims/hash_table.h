// SPDX-License-Identifier: Apache-2.0
// sim/claims/hash_table.h: the hashes of every step of every run, as one table, and a run that is
// computed again compared with it.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "sim/claims/repro_folder.h"

namespace sim {

/// hashes.csv of all runs: the line "study,arm,seed,step,sha256", then theirs.
[[nodiscard]] std::string hash_table(const claims_plan& plan, const repro_folder& folder);

/// A line of a table without its hash, "main,mxfp4,101,40", and the hash.
struct hash_line {
  std::string of, sha256;
  friend bool operator==(const hash_line&, const hash_line&) = default;
};

/// The lines of a run in a table, and in its own folder.
///   errors  repro_error: another first line, or no line of the run
[[nodiscard]] std::vector<hash_line> hashes_in_table(const claims_plan& plan,
                                                     const planned_run& run,
                                                     const std::filesystem::path& table);
[[nodiscard]] std::vector<hash_line> hashes_of_run(const claims_plan& plan,
                                                   const repro_folder& folder,
                                                   const planned_run& run);

/// The lines of a run's folder.
///   prefix  put before each
[[nodiscard]] std::vector<hash_line> hashes_in_folder(const std::filesystem::path& run,
                                                      const std::string& prefix = "");

/// The first difference in words; empty where all lines are equal.
[[nodiscard]] std::string hash_difference(const std::vector<hash_line>& table,
                                          const std::vector<hash_line>& run);

}  // namespace sim
