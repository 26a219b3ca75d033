// SPDX-License-Identifier: Apache-2.0
// sim/report/report.cpp: reads a run folder and writes its page.
#include "sim/report/report.h"

#include <fmt/format.h>

#include "golden/io/replaced_file.h"
#include "sim/study/study_file.h"

namespace sim {
namespace {

void require(const std::filesystem::path& folder, const char* name) {
  if (std::filesystem::is_regular_file(folder / name)) return;
  throw report_error("{}: expected a folder that `mxprism train` wrote, found no {} in it",
                     folder.string(), name);
}

}  // namespace

run_data read_run(const std::filesystem::path& run_folder) {
  require(run_folder, "study.toml");
  require(run_folder, "metrics.jsonl");
  const study s = read_study(run_folder / "study.toml");
  return {s, study_hash(s), read_metrics(run_folder / "metrics.jsonl")};
}

std::filesystem::path write_page(const std::filesystem::path& folder, const std::string& text) {
  const std::filesystem::path page = folder / "report.html";
  golden::io::write_text(page, text);
  return page;
}

std::filesystem::path write_report(const std::filesystem::path& run_folder) {
  return write_page(run_folder, page_of(read_run(run_folder)));
}

}  // namespace sim
