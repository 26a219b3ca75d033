// SPDX-License-Identifier: Apache-2.0
// sim/cli/train/chosen_seeds.cpp: see chosen_seeds.h.
#include "sim/cli/train/chosen_seeds.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "sim/cli/terminal/command.h"
#include "sim/cli/terminal/shard.h"
#include "sim/study/number_in.h"

namespace sim::cli {
namespace {

struct seed_range {
  std::uint64_t first, second;
};

/// Of one part of a list: "103" or "103-105".
seed_range range_in(std::string_view part, const std::string& list) {
  const std::size_t dash = part.find('-');
  const auto first = decimal_in<std::uint64_t>(part.substr(0, dash));
  const auto second =
      dash == std::string_view::npos ? first : decimal_in<std::uint64_t>(part.substr(dash + 1));
  if (first && second) return {*first, *second};
  throw usage_error("--seeds: expected seeds such as 101,103-105, found '{}'", list);
}

std::set<std::uint64_t> seeds_of(const std::vector<planned_run>& runs) {
  std::set<std::uint64_t> seeds;
  for (const planned_run& run : runs) seeds.insert(run.seed);
  return seeds;
}

void keep_study(const claims_plan& plan, const std::string& name, std::vector<planned_run>& runs) {
  if (name.empty()) return;
  const auto found = std::ranges::find(plan.studies, name, &planned_study::name);
  if (found == plan.studies.end()) {
    std::vector<std::string> names;
    for (const planned_study& s : plan.studies) names.push_back(s.name);
    throw usage_error("--study: expected a study of the claims, {}, found '{}'",
                      fmt::join(names, ", "), name);
  }
  const auto index = static_cast<std::size_t>(found - plan.studies.begin());
  std::erase_if(runs, [&](const planned_run& run) { return run.study != index; });
}

void keep_seeds(const std::string& list, std::vector<planned_run>& runs) {
  if (list.empty()) return;
  const std::set<std::uint64_t> all = seeds_of(runs);
  std::vector<seed_range> ranges;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const auto range = range_in(std::string_view(list).substr(begin, end - begin), list);
    if (range.first > range.second || !all.contains(range.first) || !all.contains(range.second)) {
      throw usage_error("--seeds: expected seeds of the claims, {} to {}, found '{}'", *all.begin(),
                        *all.rbegin(), list);
    }
    ranges.push_back(range);
    begin = end + 1;
  }
  std::erase_if(runs, [&](const planned_run& run) {
    return std::ranges::none_of(
        ranges, [&](const seed_range& r) { return r.first <= run.seed && run.seed <= r.second; });
  });
}

void keep_shard(const shard& part, std::vector<planned_run>& runs) {
  std::vector<planned_run> kept;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (part.contains(i)) kept.push_back(runs[i]);
  }
  runs = std::move(kept);
}

}  // namespace

std::vector<planned_run> chosen_runs(const claims_plan& plan, const run_choice& c) {
  std::vector<planned_run> runs = runs_of(plan);
  keep_study(plan, c.study, runs);
  keep_seeds(c.seeds, runs);
  keep_shard(shard_in(c.shard), runs);
  return runs;
}

planned_run named_run(const claims_plan& plan, const std::string& name) {
  for (const planned_run& run : runs_of(plan)) {
    if (name_of(plan, run) == name) return run;
  }
  throw usage_error("--verify-seed: expected a seed of the claims, such as {}, found '{}'",
                    name_of(plan, runs_of(plan).front()), name);
}

}  // namespace sim::cli
