// SPDX-License-Identifier: Apache-2.0
// sim/cli/train/chosen_seeds.h: the part of a claims file's runs that a command runs.
#pragma once
#include <string>
#include <vector>

#include "sim/claims/claims_file.h"

namespace sim::cli {

/// What the command line chooses; empty texts choose all.
///   study  a name; "main": that of the file's own keys
///   seeds  a list such as "101,103-105"
///   shard  "i/n": of the runs chosen so far, every n-th from the i-th
struct run_choice {
  std::string study, seeds, shard;
};

/// In the plan's order.
///   errors  usage_error
[[nodiscard]] std::vector<planned_run> chosen_runs(const claims_plan& plan, const run_choice& c);

/// The run of that name: "101", or "depth24/101".
///   errors  usage_error
[[nodiscard]] planned_run named_run(const claims_plan& plan, const std::string& name);

}  // namespace sim::cli
