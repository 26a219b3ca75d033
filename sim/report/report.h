// SPDX-License-Identifier: Apache-2.0
// sim/report/report.h: the report of a run: one self-contained page, and a table.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "sim/report/metrics.h"
#include "sim/report/run_data.h"

namespace sim {

/// Reads study.toml and metrics.jsonl of a run folder.
///   errors   report_error, study_error, golden::io::file_error
[[nodiscard]] run_data read_run(const std::filesystem::path& run_folder);

/// Writes report.html into a folder, whole or not at all.
///   returns  the page's path
///   errors   golden::io::file_error
std::filesystem::path write_page(const std::filesystem::path& folder, const std::string& text);

/// Reads a run folder and writes report.html into it, whole or
/// not at all.
///   returns  the page's path
///   errors   report_error, study_error, golden::io::file_error
std::filesystem::path write_report(const std::filesystem::path& run_folder);

/// The self-contained page.
[[nodiscard]] std::string page_of(const run_data& run);

/// A table as text: the first column to the left, the others to the right.
///   rows  of equal length, at least one
[[nodiscard]] std::string aligned(const std::vector<std::vector<std::string>>& rows);

/// One line an arm: at frozen weights KL, entropy, gradient cosine and sampled accuracy; in
/// training mean reward, last sampled accuracy and last entropy.
[[nodiscard]] std::string terminal_table(const metrics& m);

}  // namespace sim
