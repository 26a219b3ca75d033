// SPDX-License-Identifier: Apache-2.0
// sim/train/replaced_run.cpp: see replaced_run.h.
#include "sim/train/replaced_run.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "sim/report/event_file.h"
#include "sim/report/finished_step.h"
#include "sim/study/study_file.h"
#include "sim/train/folder_lock.h"
#include "sim/train/kept_checkpoints.h"
#include "sim/train/run_folder.h"

namespace sim {
namespace {

namespace fs = std::filesystem;

/// Entries of a folder, which may be missing.
std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  if (!fs::is_directory(folder)) return entries;
  for (const auto& entry : fs::directory_iterator(folder)) entries.push_back(entry.path());
  return entries;
}

void remove_if_empty(const fs::path& folder) {
  std::error_code is_not;
  fs::remove(folder, is_not);
}

std::set<std::string> arms_of(const fs::path& folder, const study& next) {
  std::set<std::string> names{warm_up_name};
  for (const arm& a : next.arms) names.insert(a.name);
  try {
    for (const arm& a : read_study(folder / "study.toml").arms) names.insert(a.name);
  } catch (const study_error&) {
    return names;
  }
  return names;
}

/// frozen-x4-ARM.json
bool is_cell(const std::string& name, const std::string& arm) {
  const std::string_view begin = "frozen-x";
  const std::string end = "-" + arm + ".json";
  if (name.size() <= begin.size() + end.size()) return false;
  const std::string factor = name.substr(begin.size(), name.size() - begin.size() - end.size());
  return name.starts_with(begin) && name.ends_with(end) &&
         factor.find_first_not_of("0123456789") == std::string::npos;
}

void remove_checkpoints_of(const fs::path& folder, const std::set<std::string>& arms) {
  for (const std::string& arm : arms) {
    remove_checkpoints(checkpoint_path(folder, arm));
    for (const fs::path& file : entries_of(folder / "checkpoints")) {
      if (is_cell(file.filename().string(), arm)) fs::remove(file);
    }
  }
  fs::remove(folder / finished_name);
  remove_if_empty(folder / "checkpoints");
}

void remove_events(const fs::path& folder) {
  for (const fs::path& run : entries_of(folder)) {
    for (const fs::path& file : entries_of(run)) {
      if (is_event_name(file.filename().string())) fs::remove(file);
    }
    if (fs::is_directory(run)) remove_if_empty(run);
  }
  remove_if_empty(folder);
}

/// The runs of other policies, each in a folder of its own.
void remove_policies(const fs::path& folder, const study& next) {
  for (const fs::path& policy : entries_of(folder)) {
    if (!fs::is_directory(policy) || !holds_a_run(policy)) continue;
    remove_run(policy, next);
    fs::remove(policy / lock_name);
    remove_if_empty(policy);
  }
  if (fs::is_directory(folder)) remove_if_empty(folder);
}

}  // namespace

bool holds_a_run(const fs::path& folder) {
  const auto marks = {fs::path(lock_name), fs::path("metrics.jsonl"), fs::path(finished_name),
                      fs::path("checkpoints") / (std::string(warm_up_name) + ".safetensors")};
  return std::ranges::any_of(marks,
                             [&](const fs::path& mark) { return fs::exists(folder / mark); });
}

void remove_run(const fs::path& folder, const study& next) {
  remove_checkpoints_of(folder, arms_of(folder, next));
  for (const char* name : {"metrics.csv", "metrics.jsonl", "hashes.csv", "report.html"}) {
    fs::remove(folder / name);
  }
  remove_policies(folder / "policies", next);
  remove_events(folder / "tensorboard");
  fs::remove(folder / "study.toml");
}

}  // namespace sim
