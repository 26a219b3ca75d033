// SPDX-License-Identifier: Apache-2.0
// sim/train/run_folder.cpp: see run_folder.h.
#include "sim/train/run_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "golden/io/file.h"
#include "golden/io/replaced_file.h"
#include "sim/report/finished_step.h"
#include "sim/study/shallow_json.h"
#include "sim/study/study_difference.h"
#include "sim/study/study_file.h"
#include "sim/train/metric_files.h"
#include "sim/train/replaced_run.h"

namespace sim {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  return golden::io::read_text(file.string(), golden::io::longest_data);
}

fs::path cell_name(const std::string& arm, int factor) {
  return fmt::format("checkpoints/frozen-x{}-{}.json", factor, arm);
}

/// Removes files that processes were writing when they were killed: here, of checkpoints, of
/// events.
void remove_leftovers(const fs::path& folder) {
  golden::io::remove_abandoned_files(folder);
  golden::io::remove_abandoned_files(folder / "checkpoints");
  std::error_code failure;
  for (fs::directory_iterator arm(folder / "tensorboard", failure), end; !failure && arm != end;
       arm.increment(failure)) {
    golden::io::remove_abandoned_files(arm->path());
  }
}

/// The study in a folder, and how it differs from another one.
struct held_study {
  std::string hash, words;
};

std::string difference_words(const study& there, const study& here) {
  constexpr std::size_t most_named = 3;
  const std::vector<std::string> all = differences(there, here);
  const auto named = std::span(all).first(std::min(most_named, all.size()));
  std::string words = fmt::format("{}", fmt::join(named, "; "));
  if (all.size() > named.size()) words += fmt::format("; {} more", all.size() - named.size());
  return words;
}

/// Whether somebody removed the last checkpoint of an arm, to go back to an earlier one. A seed
/// that was merged has none at all.
bool lacks_checkpoint(const fs::path& folder, const study& s) {
  if (!fs::exists(checkpoint_path(folder, warm_up_name))) return false;
  return std::ranges::any_of(s.arms, [&](const arm& a) {
    return a.training != arm_training::none && !fs::exists(checkpoint_path(folder, a.name));
  });
}

held_study held_in(const fs::path& folder, const study& wanted, const std::string& wanted_hash) {
  try {
    const study held = read_study(folder / "study.toml");
    const std::string hash = sim::study_hash(held);
    if (hash == wanted_hash) return {hash, ""};
    return {hash, fmt::format("{}; hash {:.12}, this one is {:.12}", difference_words(held, wanted),
                              hash, wanted_hash)};
  } catch (const study_error& e) {
    return {"", fmt::format("which cannot be read: {}", e.what())};
  }
}

}  // namespace

fs::path checkpoint_path(const fs::path& folder, const std::string& arm) {
  return folder / "checkpoints" / (arm + ".safetensors");
}

fs::path cell_path(const fs::path& folder, const std::string& arm, int factor) {
  return folder / cell_name(arm, factor);
}

run_folder::run_folder(const fs::path& path, const study& s, existing_run existing, int last_step)
    : path_(path), hash_(sim::study_hash(s)) {
  if (fs::exists(path) && !fs::is_directory(path)) {
    throw run_error(path.string() + ": is no folder");
  }
  refuse_locked(path);
  const contents held =
      fs::exists(path / "study.toml") ? accepted(s, existing, last_step) : contents::none_or_same;
  if (finished_) {
    remove_leftovers(path);
    return;
  }
  std::error_code failure;
  fs::create_directories(path, failure);
  if (failure) throw run_error("{}: cannot be made: {}", path.string(), failure.message());
  lock_.emplace(path);
  remove_leftovers(path);
  fs::remove(path / "report.html.partial", failure);
  if (held == contents::to_replace) remove_run(path, s);
  fs::create_directories(path / "checkpoints", failure);
  if (failure) throw run_error("{}: cannot be made: {}", path.string(), failure.message());
  write("study.toml", resolved_toml(s));
}

/// Continues, accepts as finished, replaces or refuses what the folder contains; changes nothing.
run_folder::contents run_folder::accepted(const study& s, existing_run existing, int last_step) {
  if (!holds_a_run(path_)) {
    throw run_error(
        "{}: is there without a run, which would replace it; choose another folder with -o, or "
        "move the study elsewhere",
        (path_ / "study.toml").string());
  }
  const held_study held = held_in(path_, s, hash_);
  const bool same = held.hash == hash_;
  if (!same && existing != existing_run::force) {
    throw run_error(
        "{}: holds a run of another study ({}); choose another folder with -o, or replace it with "
        "--force",
        path_.string(), held.words);
  }
  finished_ = same && finished_step(path_).value_or(-1) >= last_step && !lacks_table(path_) &&
              !lacks_checkpoint(path_, s);
  if (same && !finished_ && existing == existing_run::fresh) {
    throw run_error("{}: holds an unfinished run of this study; go on with --resume",
                    path_.string());
  }
  return same ? contents::none_or_same : contents::to_replace;
}

void run_folder::write(const fs::path& name, const std::string& text) const {
  golden::io::write_text(path_ / name, text);
}

void run_folder::save_cell(const std::string& arm, int factor, const cell& c) const {
  write(cell_name(arm, factor), cell_text(c, hash_));
}

std::optional<cell> run_folder::load_cell(const std::string& arm, int factor) const {
  const fs::path file = cell_path(path_, arm, factor);
  if (!fs::exists(file)) return std::nullopt;
  try {
    return cell_in(text_of(file), arm, factor, hash_);
  } catch (const json_error& e) {
    throw golden::io::file_error(
        file.string(),
        fmt::format("is damaged: it {}; remove the file, and --resume measures it again",
                    e.what()));
  }
}

void run_folder::write_metrics(const std::vector<metric_row>& rows,
                               const std::vector<hash_row>& hashes, std::uint64_t seed) const {
  std::string hash_lines = "arm,seed,step,sha256\n";
  for (const hash_row& h : hashes) {
    hash_lines += fmt::format("{},{},{},{}\n", h.arm, seed, h.step, h.sha256);
  }
  write("metrics.csv", metrics_csv(rows, seed));
  write("metrics.jsonl", metrics_jsonl(rows, seed));
  write("hashes.csv", hash_lines);
}

std::size_t run_folder::metric_rows() const {
  const fs::path file = path_ / "metrics.jsonl";
  if (!fs::exists(file)) return 0;
  const std::string text = text_of(file);
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

void run_folder::mark_unfinished() const {
  for (const char* name : {finished_name, "report.html"}) {
    std::error_code failure;
    fs::remove(path_ / name, failure);
    if (failure)
      throw run_error("{}: cannot be removed: {}", (path_ / name).string(), failure.message());
  }
}

void run_folder::mark_finished(int last_step) const {
  write(finished_name, std::to_string(last_step) + "\n");
}

}  // namespace sim
