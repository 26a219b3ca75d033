// SPDX-License-Identifier: Apache-2.0
// sim/report/seeds/seed_runs.cpp: see seed_runs.h.
#include "sim/report/seeds/seed_runs.h"

#include <fmt/format.h>

#include <algorithm>

#include "golden/io/file.h"
#include "sim/report/report.h"
#include "sim/study/sha256.h"
#include "sim/study/study_difference.h"
#include "sim/study/study_file.h"

namespace sim {
namespace {

namespace fs = std::filesystem;

bool is_run(const fs::path& folder) { return fs::is_regular_file(folder / "study.toml"); }

/// A run that was begun: one without metrics was stopped before it had any.
bool is_seed_folder(const fs::directory_entry& entry) {
  return entry.is_directory() && entry.path().filename().string().starts_with("seed-") &&
         is_run(entry.path()) && fs::is_regular_file(entry.path() / "metrics.jsonl");
}

std::vector<fs::path> seed_folders_in(const fs::path& folder) {
  std::error_code unreadable;
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, unreadable)) {
    if (is_seed_folder(entry)) found.push_back(entry.path());
  }
  return found;
}

struct folder_of_run {
  fs::path folder;
  run_data run;
};

void expect_same_study(const folder_of_run& first, const folder_of_run& other) {
  study as_first = other.run.of;
  as_first.seed = first.run.of.seed;
  if (study_hash(as_first) == first.run.hash) return;
  throw report_error("{}: another study than {}: {}; give folders of one study under several seeds",
                     other.folder.string(), first.folder.string(),
                     differences(first.run.of, as_first).front());
}

void expect_other_seed(const folder_of_run& one, const folder_of_run& other) {
  if (one.run.of.seed != other.run.of.seed) return;
  throw report_error("{}: seed {} is in {} too; give each seed once", other.folder.string(),
                     one.run.of.seed, one.folder.string());
}

std::string digest_of(const fs::path& run) {
  const fs::path file = run / "hashes.csv";
  return fs::is_regular_file(file) ? sha256_of(golden::io::read_text(file.string())) : "";
}

}  // namespace

bool is_folder_of_seeds(const fs::path& folder) {
  return fs::is_directory(folder) && !is_run(folder) && !seed_folders_in(folder).empty();
}

seed_runs read_seeds(const std::vector<fs::path>& folders) {
  std::vector<folder_of_run> found;
  for (const fs::path& folder : folders) {
    const bool holds_seeds = is_folder_of_seeds(folder);
    for (const fs::path& run : holds_seeds ? seed_folders_in(folder) : std::vector{folder}) {
      found.push_back({run, read_run(run)});
    }
  }
  if (found.size() < 2) {
    throw report_error("{}: expected the runs of at least two seeds, found {}",
                       folders.front().string(), found.size());
  }
  std::ranges::sort(found, {}, [](const folder_of_run& f) { return f.run.of.seed; });
  seed_runs seeds;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (i > 0) expect_other_seed(found[i - 1], found[i]);
    expect_same_study(found.front(), found[i]);
    seeds.digests.push_back(digest_of(found[i].folder));
  }
  for (folder_of_run& f : found) seeds.runs.push_back(std::move(f.run));
  return seeds;
}

}  // namespace sim
