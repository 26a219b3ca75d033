// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/verify_report.h: a diagnosis as text, JSON, JUnit XML and a replay folder.
#pragma once
#include <string>

#include "golden/validator/tensor/diagnosis_words.h"
#include "sim/cli/terminal/json_text.h"
#include "sim/cli/verify/verify_files.h"

namespace sim::cli {

/// Input of all forms of a report.
struct verified {
  const verified_files& files;
  const declared_recipe& declared;
  const golden::validator::hypothesis& rules;
  const golden::validator::diagnosis& found;
};

/// Index of the first tensor that differs; requires one.
[[nodiscard]] std::size_t first_differing(const verified& v);

/// One line on the first difference.
[[nodiscard]] std::string first_text(const verified& v);
/// Both numbers, and the row of a tensor scale that is not a positive finite number.
[[nodiscard]] ordered_json unusable_json(const golden::validator::unusable_scale& u);
/// Elements that differ in a tensor; all of them where its sizes are wrong.
[[nodiscard]] std::uint64_t mismatches_of(const verified& v, std::size_t tensor);

[[nodiscard]] std::string report_text(const verified& v);
[[nodiscard]] ordered_json report_json(const verified& v);
[[nodiscard]] std::string report_junit(const verified& v);

/// Writes the smallest block that shows the difference, the expected and the found bytes, and the
/// command that replays it.
///   folder  created; an existing one must be empty
///   errors  usage_error, file_error
void write_bundle(const verified& v, const std::string& folder);

}  // namespace sim::cli
