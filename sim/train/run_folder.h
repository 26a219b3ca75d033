// SPDX-License-Identifier: Apache-2.0
// sim/train/run_folder.h: the files of a run.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/train/cell.h"
#include "sim/train/checkpoint.h"
#include "sim/train/folder_lock.h"
#include "sim/train/run.h"

namespace sim {

/// The name of the warm-up, in place of an arm's.
inline constexpr const char* warm_up_name = "warm-up";

/// Files of a run's folder: a policy under training, by the name of its arm, and a cell.
[[nodiscard]] std::filesystem::path checkpoint_path(const std::filesystem::path& folder,
                                                    const std::string& arm);
[[nodiscard]] std::filesystem::path cell_path(const std::filesystem::path& folder,
                                              const std::string& arm, int factor);

/// The folder of one run of one study.
class run_folder {
 public:
  /// Opens the folder as the request says. Unless its run is finished: locks it, removes the
  /// temporary files of killed runs, and writes study.toml.
  ///   errors  run_error, before anything is written
  run_folder(const std::filesystem::path& path, const study& s, existing_run existing,
             int last_step);

  [[nodiscard]] bool finished() const noexcept { return finished_; }

  /// Figures of a cell at frozen weights, stored between runs.
  void save_cell(const std::string& arm, int factor, const cell& c) const;
  /// No value where none exists that can be checked.
  ///   errors  golden::io::file_error where it is damaged
  [[nodiscard]] std::optional<cell> load_cell(const std::string& arm, int factor) const;

  /// metrics.csv, metrics.jsonl, hashes.csv.
  void write_metrics(const std::vector<metric_row>& rows, const std::vector<hash_row>& hashes,
                     std::uint64_t seed) const;
  /// Rows in these tables; 0 without any.
  [[nodiscard]] std::size_t metric_rows() const;
  /// Records that more steps will be done than the tables have; the page is of these.
  void mark_unfinished() const;
  /// Records that all steps up to this one are done.
  void mark_finished(int last_step) const;

 private:
  enum class contents : std::uint8_t { none_or_same, to_replace };
  [[nodiscard]] contents accepted(const study& s, existing_run existing, int last_step);
  void write(const std::filesystem::path& name, const std::string& text) const;

  std::filesystem::path path_;
  std::string hash_;
  bool finished_ = false;
  std::optional<folder_lock> lock_;
};

}  // namespace sim
