// SPDX-License-Identifier: Apache-2.0
// kernels/verify/group_runner.h: each group of cases in a process of its own, since an error on a
// device stays in the process that caused it.
#pragma once
#include <filesystem>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace mx::kernels {

/// Exit status of a process that has done a group: all of its cases have a record.
[[nodiscard]] constexpr bool is_group_done(int status) noexcept {
  return status == 0 || status == 1;
}

/// To be called once, before `ran`, by each program: the end of a child would be lost in one whose
/// parent ignores such ends, as some supervisors and daemons do.
void keep_ends_of_children();

/// Runs a process until it ends.
///   words    program and arguments
///   folder   where it runs; empty: where this process does
///   returns  its exit status, or 128 + the signal that ended it
///   errors   std::runtime_error: it cannot be started, or its end was lost
[[nodiscard]] int ran(const std::vector<std::string>& words,
                      const std::filesystem::path& folder = {});

/// Runs a group until it is done; its process is started again after a breakdown, as long as that
/// adds records to the log.
///   process  runs the group's cases that have no record
///   log      of case_log
///   out      a line if the group is given up
///   returns  the last exit status
int run_group(const std::string& group, const std::function<int()>& process,
              const std::filesystem::path& log, std::ostream& out);

}  // namespace mx::kernels
