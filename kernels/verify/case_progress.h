// SPDX-License-Identifier: Apache-2.0
// kernels/verify/case_progress.h: which cases of a group a process runs, and their records.
#pragma once
#include <string>

#include "case_log.h"
#include "case_watch.h"

namespace mx::kernels {

/// The cases of a group that have no record yet. A kernel that broke down twice in the group is
/// left out of the rest, since each breakdown costs a process; one that ran into the time limit
/// three times is left out of all groups, since each time costs the limit.
class case_progress {
 public:
  case_progress(std::string group, case_log& log, case_watch& watch)
      : group_(std::move(group)), log_(log), watch_(watch) {}

  /// Whether a case is to run; it begins then.
  ///   kernel  that it runs (case_kernels.h)
  [[nodiscard]] bool begins(const std::string& name, const std::string& kernel);
  void ends(outcome result, const std::string& detail);

 private:
  std::string group_;
  case_log& log_;
  case_watch& watch_;
  std::chrono::steady_clock::time_point began_;
};

}  // namespace mx::kernels
