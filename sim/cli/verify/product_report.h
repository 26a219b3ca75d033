// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/product_report.h: a verdict on a product, for people and for programs.
#pragma once
#include <vector>

#include "golden/validator/verdict_words.h"
#include "sim/cli/terminal/json_text.h"
#include "sim/cli/verify/product_inputs.h"

namespace sim::cli {

using golden::validator::model_distinction;
using golden::validator::product_verdict;
using golden::validator::verdict_kind;

/// Every consistent arithmetic but one, once; empty where all that are left are the same.
[[nodiscard]] std::vector<model_distinction> distinctions_in(const product_inputs& inputs,
                                                             const product_verdict& verdict);

[[nodiscard]] ordered_json json_of(const product_inputs& inputs, const product_verdict& verdict);
void print_text(const product_inputs& inputs, const product_verdict& verdict);

}  // namespace sim::cli
