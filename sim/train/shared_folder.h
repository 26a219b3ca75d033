// SPDX-License-Identifier: Apache-2.0
// sim/train/shared_folder.h: the run folder of a group of ranks. Rank 0 alone reads and writes
// files; the others get what it reads, so they need not see its file system. All ranks call each
// function, in the same order; what fails on rank 0 fails on all, with its message.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sim/ranks/rank_group.h"
#include "sim/train/run_folder.h"

namespace sim {

class shared_folder {
 public:
  /// As run_folder.
  shared_folder(const rank_group& ranks, const std::filesystem::path& path, const study& s,
                existing_run existing, int last_step);

  [[nodiscard]] bool finished() const noexcept { return finished_; }
  [[nodiscard]] const std::string& study_hash() const noexcept { return hash_; }
  [[nodiscard]] std::filesystem::path checkpoint_file(const std::string& name) const;
  [[nodiscard]] std::filesystem::path cell_file(const std::string& arm, int factor) const;

  /// As load_checkpoint and save_checkpoint, by name.
  ///   kept  checkpoints at most, see kept_checkpoints.h
  [[nodiscard]] std::optional<checkpoint> load_checkpoint(const std::string& name,
                                                          const parameter_table& table) const;
  void save_checkpoint(const std::string& name, const parameter_table& table, const checkpoint& c,
                       int kept) const;

  /// As run_folder.
  [[nodiscard]] std::optional<cell> load_cell(const std::string& arm, int factor) const;
  void save_cell(const std::string& arm, int factor, const cell& c) const;
  void write_metrics(const std::vector<metric_row>& rows, const std::vector<hash_row>& hashes,
                     std::uint64_t seed) const;
  /// The same, unless the tables in the folder have more rows.
  void write_metrics_unless_fewer(const std::vector<metric_row>& rows,
                                  const std::vector<hash_row>& hashes, std::uint64_t seed) const;
  void mark_unfinished() const;
  void mark_finished(int last_step) const;

 private:
  const rank_group& ranks_;
  std::filesystem::path path_;
  std::string hash_;
  std::optional<run_folder> folder_;  ///< of rank 0
  bool finished_ = false;
};

}  // namespace sim
