// SPDX-License-Identifier: Apache-2.0
// sim/cli/train/event_log.cpp: see event_log.h.
#include "sim/cli/train/event_log.h"

#include <algorithm>

namespace sim::cli {
namespace {

namespace fs = std::filesystem;

/// Files of a run that earlier sessions wrote.
std::size_t files_in(const fs::path& folder) {
  std::size_t count = 0;
  while (fs::exists(folder / event_name(count))) ++count;
  return count;
}

}  // namespace

std::string tag_of(const std::string& run, const metric_row& row) {
  std::string tag = (row.metric.starts_with("accuracy") ? "eval/" : "train/") + row.metric;
  if (row.phase != "warm-up" && row.arm != run) tag += "/" + row.arm;
  for (const std::string* part : {&row.passes, &row.layer}) {
    if (!part->empty()) tag += "/" + *part;
  }
  return tag;
}

void event_log::take(const std::string& run, std::span<const metric_row> rows) {
  std::map<int, std::vector<tagged_number>> by_step;
  for (const metric_row& row : rows) {
    if (row.step) by_step[*row.step].push_back({tag_of(run, row), row.value});
  }
  for (const auto& [step, numbers] : by_step) file_of(run, step).add(step, numbers);
}

event_file& event_log::file_of(const std::string& run, int first_step) {
  std::unique_ptr<event_file>& file = files_[run];
  if (file != nullptr) return *file;
  const fs::path folder = folder_ / run;
  fs::create_directories(folder);
  const std::size_t earlier = files_in(folder);
  file = std::make_unique<event_file>(folder / event_name(earlier));
  if (earlier > 0) file->begin_again_at(first_step);
  return *file;
}

}  // namespace sim::cli
