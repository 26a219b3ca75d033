// SPDX-License-Identifier: Apache-2.0
// sim/claims/repro_folder.cpp: see repro_folder.h.
#include "sim/claims/repro_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "golden/io/file.h"
#include "golden/io/replaced_file.h"
#include "sim/claims/claims_file.h"
#include "sim/claims/hash_table.h"
#include "sim/report/finished_step.h"
#include "sim/study/shallow_json.h"
#include "sim/train/folder_lock.h"
#include "sim/train/replaced_run.h"

namespace sim {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr const char* claims_field = "claims_sha256";

/// "study_sha256", "study_sha256.depth24".
std::string study_field(const claims_plan& plan, std::size_t study) {
  return study == 0 ? "study_sha256" : "study_sha256." + plan.studies[study].name;
}

/// What a merged seed needs: for tables, for `mxprism report`, and, last, to count as finished.
constexpr std::array<const char*, 5> copied_files{"study.toml", "metrics.csv", "metrics.jsonl",
                                                  "hashes.csv", finished_name};

ordered_json record_of(const claims_plan& plan) {
  ordered_json record{{claims_field, plan.sha256}};
  for (std::size_t i = 0; i < plan.studies.size(); ++i) {
    record[study_field(plan, i)] = shared_hash(plan.studies[i]);
  }
  return record;
}

ordered_json record_in(const fs::path& file) {
  const std::string text = golden::io::read_text(file.string());
  try {
    return shallow_json<ordered_json>(text);
  } catch (const json_error& e) {
    throw repro_error("{}: expected the record of `mxprism repro`, which {}; choose another folder",
                      file.string(), e.what());
  }
}

std::string field_of(const ordered_json& record, const std::string& name) {
  const auto found = record.find(name);
  return found != record.end() && found->is_string() ? found->get<std::string>() : "none";
}

void expect_same(const fs::path& file, const ordered_json& expected) {
  const ordered_json found = record_in(file);
  for (const auto& [field, value] : expected.items()) {
    const std::string was = field_of(found, field), is = value.get<std::string>();
    if (was == is) continue;
    const char* remedy = field == claims_field
                             ? "results of a claims file count for that file alone: take it as it "
                               "was, or choose another folder"
                             : "the claims' study is another one now: take it and the program as "
                               "they were, or choose another folder";
    throw repro_error("{}: field '{}': found {:.12}, this one is {:.12}; {}", file.string(), field,
                      was, is, remedy);
  }
}

void write_record(const fs::path& file, const ordered_json& record) {
  golden::io::write_text(file, record.dump() + "\n");
}

fs::path run_folder_in(const fs::path& path, const claims_plan& plan, const planned_run& run) {
  const fs::path of_study = run.study == 0 ? path : path / plan.studies[run.study].name;
  return of_study / fmt::format("seed-{}", run.seed);
}

bool is_finished_run(const fs::path& run, const study& expected) {
  if (!fs::exists(run / "study.toml")) return false;
  const std::string hash = study_hash(read_study(run / "study.toml"));
  if (hash != study_hash(expected)) {
    throw repro_error(
        "{}: holds seed {} of another study ({:.12}, the claims' is {:.12}); remove the folder, or "
        "choose another one",
        (run / "study.toml").string(), expected.seed, hash, study_hash(expected));
  }
  return finished_step(run).value_or(-1) >= expected.grpo.steps;
}

/// Refuses a seed whose tables cannot be made, before it is taken over.
void expect_whole(const claims_plan& plan, const planned_run& run, const fs::path& seed) {
  for (const char* name : copied_files) {
    std::error_code ignored;
    if (fs::is_regular_file(seed / name, ignored)) continue;
    throw repro_error("{}: is missing, or is no file; run the seed again, or leave its folder out",
                      (seed / name).string());
  }
  const fs::path file = seed / "metrics.jsonl";
  static_cast<void>(values_of(plan, {{run.seed, file.string(), read_metrics(file), run.study}}));
  static_cast<void>(hashes_in_folder(seed));
}

/// Refuses a place that is no folder, or in which a process runs the seed.
void expect_free(const fs::path& seed) {
  if (fs::exists(seed) && !fs::is_directory(seed))
    throw repro_error("{}: is no folder", seed.string());
  refuse_locked(seed);
}

/// Replaces an unfinished run of the seed. The mark of the end is copied last: a seed whose copy
/// was cut off is an unfinished one.
void copy_seed(const fs::path& from, const fs::path& to, const study& s) {
  fs::create_directories(to);
  const folder_lock lock(to);
  remove_run(to, s);
  fs::create_directories(to / "checkpoints");
  for (const char* name : copied_files) fs::copy_file(from / name, to / name);
}

}  // namespace

repro_folder::repro_folder(fs::path path, const claims_plan& plan)
    : path_(std::move(path)), plan_(plan) {
  if (fs::exists(path_) && !fs::is_directory(path_)) {
    throw repro_error(path_.string() + ": is no folder");
  }
  const fs::path record = path_ / repro_record_name;
  if (fs::exists(record)) expect_same(record, record_of(plan));
}

void repro_folder::make() const {
  std::error_code failure;
  fs::create_directories(path_, failure);
  if (failure) throw repro_error("{}: cannot be made: {}", path_.string(), failure.message());
  golden::io::remove_abandoned_files(path_);
  write_record(path_ / repro_record_name, record_of(plan_));
}

fs::path repro_folder::of_run(const planned_run& run) const {
  return run_folder_in(path_, plan_, run);
}

bool repro_folder::is_finished(const planned_run& run) const {
  return is_finished_run(of_run(run), study_of(plan_, run)) && !lacks_table(of_run(run));
}

std::vector<planned_run> repro_folder::missing_runs() const {
  std::vector<planned_run> missing = runs_of(plan_);
  std::erase_if(missing, [&](const planned_run& run) { return is_finished(run); });
  return missing;
}

seed_metrics repro_folder::metrics_of(const planned_run& run) const {
  const fs::path file = of_run(run) / "metrics.jsonl";
  return {run.seed, file.string(), read_metrics(file), run.study};
}

void repro_folder::merge(const std::vector<std::string>& others) const {
  const std::vector<planned_run> runs = runs_of(plan_);
  std::map<planned_run, fs::path> source;
  for (const planned_run& run : runs) {
    if (is_finished(run)) source[run] = path_;
  }
  for (const std::string& name : others) {
    const fs::path other(name);
    expect_same(other / repro_record_name, record_of(plan_));
    for (const planned_run& run : runs) {
      if (!is_finished_run(run_folder_in(other, plan_, run), study_of(plan_, run))) continue;
      const auto [known, is_new] = source.emplace(run, other);
      if (is_new) continue;
      throw repro_error("{}: seed {} is in {} too; merge folders whose seeds do not overlap",
                        other.string(), name_of(plan_, run), known->second.string());
    }
  }
  for (const auto& [run, from] : source) {
    if (from == path_) continue;
    expect_whole(plan_, run, run_folder_in(from, plan_, run));
    expect_free(of_run(run));
  }
  make();
  for (const auto& [run, from] : source) {
    if (from == path_) continue;
    copy_seed(run_folder_in(from, plan_, run), of_run(run), study_of(plan_, run));
  }
}

}  // namespace sim
