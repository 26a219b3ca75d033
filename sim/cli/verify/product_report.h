// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/product_report.h: a verdict on a product, as words, as JSON, as JUnit's XML, and as
// a folder that replays it.
#pragma once
#include <vector>

#include "golden/validator/product/verdict_words.h"
#include "sim/cli/terminal/json_text.h"
#include "sim/cli/verify/product_inputs.h"

namespace sim::cli {

using golden::validator::explanation_text;
using golden::validator::model_distinction;
using golden::validator::product_verdict;
using golden::validator::word_text;

/// Every consistent arithmetic but one, once; empty where all that are left are the same.
[[nodiscard]] std::vector<model_distinction> distinctions_in(const product_inputs& inputs,
                                                             const product_verdict& verdict);

[[nodiscard]] ordered_json json_of(const product_inputs& inputs, const product_verdict& verdict);
void print_text(const product_inputs& inputs, const product_verdict& verdict);

/// Two test cases: the words of D; and, where it is not exact, its distance from the exact product.
[[nodiscard]] std::string junit_of(const product_inputs& inputs, const product_verdict& verdict);

/// Writes one row of A and one column of B that show the difference, what is expected of them and
/// what was found, the steps of the model, and the command that replays it.
///   folder  made; may exist where it is empty
///   errors  usage_error, file_error
void write_bundle(const product_options& options, const product_inputs& inputs,
                  const product_verdict& verdict, const std::string& folder);

}  // namespace sim::cli
