// SPDX-License-Identifier: Apache-2.0
// sim/report/report.cpp: reads a run folder and writes its page.
#include "sim/report/report.h"

#include <fmt/format.h>

#include <fstream>

#include "sim/study/study_file.h"

namespace sim {
namespace {

void write_whole(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::path temporary = file;
  temporary += ".partial";
  {
    std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
    out << text;
    out.close();
    if (!out) {
      std::error_code ignored;
      std::filesystem::remove(temporary, ignored);
      throw report_error(fmt::format(
          "{}: cannot be written; is the folder writable, the disk full?", file.string()));
    }
  }
  std::error_code failed;
  std::filesystem::rename(temporary, file, failed);
  if (failed) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw report_error(fmt::format("{}: cannot be written: {}", file.string(), failed.message()));
  }
}

void require(const std::filesystem::path& folder, const char* name) {
  if (std::filesystem::is_regular_file(folder / name)) return;
  throw report_error(
      fmt::format("{}: expected a folder that `mxprism train` wrote, found no {} in it",
                  folder.string(), name));
}

}  // namespace

std::filesystem::path write_report(const std::filesystem::path& run_folder) {
  require(run_folder, "study.toml");
  require(run_folder, "metrics.jsonl");
  const study s = read_study(run_folder / "study.toml");
  const run_data run{s, study_hash(s), read_metrics(run_folder / "metrics.jsonl")};
  const std::filesystem::path page = run_folder / "report.html";
  write_whole(page, page_of(run));
  return page;
}

}  // namespace sim
