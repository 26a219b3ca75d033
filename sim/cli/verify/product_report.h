// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/product_report.h: a verdict on a product, as text, JSON, JUnit XML, and a folder
// that replays it.
#pragma once
#include <vector>

#include "golden/validator/product/verdict_words.h"
#include "sim/cli/terminal/json_text.h"
#include "sim/cli/verify/product_candidates.h"

namespace sim::cli {

using golden::validator::explanation_text;
using golden::validator::model_distinction;
using golden::validator::product_verdict;
using golden::validator::word_text;

/// Every other consistent arithmetic, once; empty where all consistent ones are the same.
[[nodiscard]] std::vector<model_distinction> distinctions_in(const product_inputs& inputs,
                                                             const product_verdict& verdict);

[[nodiscard]] ordered_json json_of(const product_inputs& inputs, const product_verdict& verdict);
void print_text(const product_inputs& inputs, const product_verdict& verdict);

/// Two test cases: the words of D; and, where it is not exact, its distance from the exact product.
[[nodiscard]] std::string junit_of(const product_inputs& inputs, const product_verdict& verdict);

/// Writes one row of A and one column of B that show the difference, the expected and the found
/// result, the steps of the model, and the command that replays it.
///   folder  created; an existing one must be empty
///   errors  usage_error, file_error
void write_bundle(const product_options& options, const product_inputs& inputs,
                  const product_verdict& verdict, const std::string& folder);

}  // namespace sim::cli
