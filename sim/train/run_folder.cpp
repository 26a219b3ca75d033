// SPDX-License-Identifier: Apache-2.0
// sim/train/run_folder.cpp: see run_folder.h.
#include "sim/train/run_folder.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "golden/io/replaced_file.h"
#include "sim/study/study_file.h"
#include "sim/train/json_number.h"

namespace sim {
namespace {

using nlohmann::ordered_json;
namespace fs = std::filesystem;

void write_text(const fs::path& file, const std::string& text) {
  const golden::io::byte_view bytes(reinterpret_cast<const std::uint8_t*>(text.data()),
                                    text.size());
  golden::io::write_whole(file.string(), std::span(&bytes, 1));
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Last step that a finished run reached; nothing where it is not finished.
std::optional<int> finished_step(const fs::path& folder) {
  const fs::path file = folder / "checkpoints" / "finished";
  if (!fs::exists(file)) return std::nullopt;
  int step = 0;
  std::ifstream(file) >> step;
  return step;
}

std::string hash_of_folder(const fs::path& folder) {
  try {
    return study_hash(read_study(folder / "study.toml"));
  } catch (const study_error&) {
    return "an unreadable study";
  }
}

}  // namespace

run_folder::run_folder(const fs::path& path, const study& s, existing_run existing, int last_step)
    : path_(path), hash_(sim::study_hash(s)) {
  if (fs::exists(path) && !fs::is_directory(path)) {
    throw run_error(path.string() + ": is no folder");
  }
  if (fs::exists(path / "study.toml")) {
    const std::string held = hash_of_folder(path);
    if (held != hash_ && existing != existing_run::force) {
      throw run_error(
          fmt::format("{}: holds a run of another study (hash {:.12}, this one is "
                      "{:.12}); choose another folder with -o, or replace it with --force",
                      path.string(), held, hash_));
    }
    if (held != hash_) {
      for (const char* name : {"checkpoints", "metrics.csv", "metrics.jsonl", "hashes.csv",
                               "report.html", "study.toml"}) {
        fs::remove_all(path / name);
      }
    } else if (finished_step(path).value_or(-1) >= last_step) {
      finished_ = true;
      return;
    } else if (existing == existing_run::fresh) {
      throw run_error(fmt::format("{}: holds an unfinished run of this study; go on with --resume",
                                  path.string()));
    }
  }
  std::error_code failure;
  fs::create_directories(path / "checkpoints", failure);
  if (failure) {
    throw run_error(fmt::format("{}: cannot be made: {}", path.string(), failure.message()));
  }
  write("study.toml", resolved_toml(s));
}

void run_folder::write(const std::string& name, const std::string& text) const {
  write_text(path_ / name, text);
}

fs::path run_folder::cell_file(const std::string& arm, int factor) const {
  return path_ / "checkpoints" / fmt::format("frozen-x{}-{}.json", factor, arm);
}

void run_folder::save_cell(const std::string& arm, int factor, const cell_figures& figures,
                           const std::vector<metric_row>& energies) const {
  ordered_json j;
  j["study"] = hash_;
  j["figures"] = ordered_json::array();
  for (const auto& [key, figure] : figures) {
    ordered_json entry;
    entry["metric"] = key.metric;
    entry["passes"] = key.passes;
    entry["layer"] = key.layer;
    entry["full"] = json_number(figure.full);
    entry["without"] = ordered_json::array();
    for (const double v : figure.without) entry["without"].push_back(json_number(v));
    j["figures"].push_back(std::move(entry));
  }
  j["energies"] = ordered_json::array();
  for (const metric_row& row : energies) {
    ordered_json entry;
    entry["layer"] = row.layer;
    entry["metric"] = row.metric;
    entry["value"] = json_number(row.value);
    j["energies"].push_back(std::move(entry));
  }
  write_text(cell_file(arm, factor), j.dump());
}

std::optional<run_folder::cell> run_folder::load_cell(const std::string& arm, int factor) const {
  const fs::path file = cell_file(arm, factor);
  if (!fs::exists(file)) return std::nullopt;
  try {
    const ordered_json j = ordered_json::parse(text_of(file));
    if (j.at("study") != hash_) return std::nullopt;
    cell c;
    for (const ordered_json& entry : j.at("figures")) {
      replicated& figure = c.figures[{entry.at("metric"), entry.at("passes"), entry.at("layer")}];
      figure.full = number_from(entry.at("full"));
      for (const ordered_json& v : entry.at("without")) figure.without.push_back(number_from(v));
    }
    for (const ordered_json& entry : j.at("energies")) {
      c.energies.push_back({"frozen", arm, std::nullopt, factor, "", entry.at("layer"),
                            entry.at("metric"), number_from(entry.at("value")), std::nullopt});
    }
    return c;
  } catch (const nlohmann::json::exception& e) {
    throw golden::io::file_error(file.string(), std::string("is damaged: ") + e.what());
  }
}

namespace {

std::string csv_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Inf" : "-Inf";
  return fmt::format("{}", value);
}

std::string csv_line(const metric_row& row, std::uint64_t seed) {
  return fmt::format("{},{},{},{},{},{},{},{},{},{}\n", row.phase, row.arm, seed,
                     row.step ? std::to_string(*row.step) : "",
                     row.outliers ? std::to_string(*row.outliers) : "", row.passes, row.layer,
                     row.metric, csv_number(row.value),
                     row.standard_error ? csv_number(*row.standard_error) : "");
}

}  // namespace

void run_folder::write_metrics(const std::vector<metric_row>& rows,
                               const std::vector<hash_row>& hashes, std::uint64_t seed) const {
  std::string csv = "phase,arm,seed,step,outliers,passes,layer,metric,value,standard_error\n";
  std::string lines, hash_lines = "arm,seed,step,sha256\n";
  for (const metric_row& row : rows) {
    csv += csv_line(row, seed);
    lines += row_as_json(row, seed) + "\n";
  }
  for (const hash_row& h : hashes) {
    hash_lines += fmt::format("{},{},{},{}\n", h.arm, seed, h.step, h.sha256);
  }
  write("metrics.csv", csv);
  write("metrics.jsonl", lines);
  write("hashes.csv", hash_lines);
}

void run_folder::mark_finished(int last_step) const {
  write("checkpoints/finished", std::to_string(last_step) + "\n");
}

}  // namespace sim
