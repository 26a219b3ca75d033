// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/verify_report.h: a diagnosis as JSON, JUnit XML, a page and a replay folder.
#pragma once
#include <string>

#include "golden/validator/tensor/diagnosis_words.h"
#include "sim/cli/terminal/json_text.h"
#include "sim/cli/verify/verify_files.h"

namespace sim::cli {

/// A verdict with its inputs.
struct verified {
  const verified_files& files;
  const declared_recipe& declared;
  const golden::validator::hypothesis& rules;
  const golden::validator::diagnosis& found;
};

/// Both numbers of a tensor scale that differs, and its row.
[[nodiscard]] ordered_json tensor_scale_json(const golden::validator::tensor_scale_pair& u);

/// Where a tensor differs, in numbers and one pattern; requires that it does. Rows and columns are
/// of the elements whose code or block scale differs; all where others do, or none fits; null in a
/// tensor without any.
[[nodiscard]] ordered_json where_json(const golden::validator::tensor_result& r);

/// Where a tensor's codes and scales differ, each along every direction; requires that some do.
[[nodiscard]] ordered_json places_json(const golden::validator::tensor_result& r);

[[nodiscard]] ordered_json report_json(const golden::validator::diagnosis& d);

/// A difference from what was declared, of a tensor or a product.
[[nodiscard]] ordered_json change_json(const golden::validator::change& c);

/// A test case for each tensor of a kernel's output.
[[nodiscard]] std::string report_junit(const golden::validator::diagnosis& d,
                                       const std::string& output);

/// A self-contained page.
///   source  file and rules, for its head
[[nodiscard]] std::string report_page(const golden::validator::diagnosis& d,
                                      const std::string& source);

/// Writes the smallest block that shows the difference, the expected and the found bytes, and the
/// command that replays it. Requires that the sizes of the first tensor that differs fit.
///   folder  created; of an existing one see bundle_folder.h
///   errors  usage_error, file_error
void write_bundle(const verified& v, const std::string& folder);

}  // namespace sim::cli
