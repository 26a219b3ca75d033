// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/product_report.h: a product's diagnosis as JSON, JUnit XML, a page, and a folder
// that replays it.
#pragma once
#include "golden/validator/product/diagnosis_words.h"
#include "sim/cli/terminal/json_text.h"
#include "sim/cli/verify/product_candidates.h"

namespace sim::cli {

using golden::validator::product_diagnosis;

[[nodiscard]] ordered_json json_of(const product_diagnosis& d);

/// Two test cases: the words of D; and, where it is not exact, its distance from the exact product.
[[nodiscard]] std::string junit_of(const product_diagnosis& d);

/// A self-contained page.
///   source  files and rules, for its head
[[nodiscard]] std::string page_of(const product_diagnosis& d, const std::string& source);

/// Writes one row of A and one column of B that show the difference, the expected and the found
/// result, the steps of the model, and the command that replays it.
///   folder  created; of an existing one see bundle_folder.h
///   errors  usage_error, file_error
void write_bundle(const product_options& options, const product_files& files,
                  const product_diagnosis& d, const std::string& folder);

}  // namespace sim::cli
