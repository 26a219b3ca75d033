// SPDX-License-Identifier: Apache-2.0
// sim/train/run_context.h: what the phases of a run share.
#pragma once
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "sim/train/failures.h"
#include "sim/train/run.h"
#include "sim/train/shared_folder.h"

namespace sim {

/// Thrown at a requested stop between two pieces that cannot be resumed midway.
struct stop_requested {};

/// The setting of a run, its folder, its reports, and whether it is to stop.
///   all     of all ranks
///   own     the same, of what a rank computes alone
///   failed  errors of arms and cells: an error that ends one only keeps the others from their next
///           step
struct run_context {
  /// Opens the folder.
  ///   request  must outlive it
  ///   errors   as run_study
  explicit run_context(const run_request& request);

  const run_request& request;
  setting all, own;
  int last_step;
  shared_folder folder;
  failures failed;

  [[nodiscard]] const study& constants() const noexcept { return all.constants; }

  /// Whether this rank was asked to stop; any of them, asked by all at once; any, or one failed.
  [[nodiscard]] bool asked_here() const;
  [[nodiscard]] bool asked_to_stop() const;
  [[nodiscard]] bool stopping() const { return failed.any() || asked_to_stop(); }

  void tell(const progress& p);
  /// Reports why an existing file was not used.
  void tell_unless_checked(const std::filesystem::path& file);
  /// Passes on the rows of a run from the first new one.
  void log_new(const std::string& run, const std::vector<metric_row>& rows, std::size_t& logged);

  [[nodiscard]] std::optional<checkpoint> held_checkpoint(const std::string& name);
  void save(const std::string& name, const checkpoint& c) const;

 private:
  std::mutex telling_;
};

/// A figure of a training step as a row of the metrics.
[[nodiscard]] metric_row training_row(const std::string& phase, const std::string& arm, int step,
                                      const figure& f);

/// The figure of that name; requires it.
[[nodiscard]] double value_of(const std::vector<figure>& figures, const std::string& name);

}  // namespace sim
