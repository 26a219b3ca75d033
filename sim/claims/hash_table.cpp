// SPDX-License-Identifier: Apache-2.0
// sim/claims/hash_table.cpp: see hash_table.h.
#include "sim/claims/hash_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string_view>

#include "golden/io/file.h"
#include "sim/claims/claims_file.h"

namespace sim {
namespace {

constexpr const char* run_columns = "arm,seed,step,sha256";
const std::string table_columns = std::string("study,") + run_columns;

bool is_sha256(std::string_view word) {
  constexpr std::string_view digits = "0123456789abcdef";
  return word.size() == 64 && word.find_first_not_of(digits) == std::string_view::npos;
}

/// Lines behind the first. One without its end is none: the file was cut off.
std::vector<hash_line> lines_in(const std::filesystem::path& file, const std::string& columns,
                                const std::string& prefix) {
  std::istringstream text(golden::io::read_text(file.string()));
  std::string line;
  if (!std::getline(text, line) || line != columns) {
    throw repro_error("{}: line 1: expected '{}', as `mxprism repro` writes its hashes.csv",
                      file.string(), columns);
  }
  std::vector<hash_line> lines;
  while (std::getline(text, line)) {
    const std::size_t comma = line.rfind(',');
    if (comma == std::string::npos || text.eof() || !is_sha256(line.substr(comma + 1))) {
      throw repro_error("{}: line {}: expected '{}'", file.string(), lines.size() + 2, columns);
    }
    lines.push_back({prefix + line.substr(0, comma), line.substr(comma + 1)});
  }
  return lines;
}

/// Whether a line "study,arm,seed,step" is one of the run. Names of arms have no commas.
bool is_of(const hash_line& line, const std::string& study, const std::string& seed) {
  const std::size_t step = line.of.rfind(','), before = line.of.rfind(',', step - 1);
  return line.of.starts_with(study + ",") && before != std::string::npos &&
         line.of.substr(before + 1, step - before - 1) == seed;
}

}  // namespace

std::string hash_table(const claims_plan& plan, const repro_folder& folder) {
  std::string text = table_columns + "\n";
  for (const planned_run& run : runs_of(plan)) {
    for (const hash_line& line : hashes_of_run(plan, folder, run)) {
      text += fmt::format("{},{}\n", line.of, line.sha256);
    }
  }
  return text;
}

std::vector<hash_line> hashes_in_folder(const std::filesystem::path& run,
                                        const std::string& prefix) {
  return lines_in(run / "hashes.csv", run_columns, prefix);
}

std::vector<hash_line> hashes_of_run(const claims_plan& plan, const repro_folder& folder,
                                     const planned_run& run) {
  return hashes_in_folder(folder.of_run(run), plan.studies[run.study].name + ",");
}

std::vector<hash_line> hashes_in_table(const claims_plan& plan, const planned_run& run,
                                       const std::filesystem::path& table) {
  std::vector<hash_line> lines = lines_in(table, table_columns, "");
  std::erase_if(lines, [&](const hash_line& line) {
    return !is_of(line, plan.studies[run.study].name, fmt::format("{}", run.seed));
  });
  if (!lines.empty()) return lines;
  throw repro_error("{}: has no hash of seed {}; choose a seed of the table", table.string(),
                    name_of(plan, run));
}

std::string hash_difference(const std::vector<hash_line>& table,
                            const std::vector<hash_line>& run) {
  const auto [t, r] = std::mismatch(table.begin(), table.end(), run.begin(), run.end());
  if (t == table.end() && r == run.end()) return "";
  return fmt::format("first difference: the table has {}, this program {}",
                     t == table.end() ? "no further line" : t->of + " " + t->sha256,
                     r == run.end() ? "no further line" : r->of + " " + r->sha256);
}

}  // namespace sim
