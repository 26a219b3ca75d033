// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/product_report.h: a verdict on a product, for people and for programs.
#pragma once
#include <vector>

#include "sim/cli/terminal/json_text.h"
#include "sim/cli/verify/product_verdict.h"

namespace sim::cli {

/// "exact", "explained", "unexplained"
[[nodiscard]] std::string_view name_of(verdict_kind kind);

/// What would tell a consistent model from the declared one, or from the first that is consistent.
struct model_distinction {
  std::string_view model, from;
  std::vector<std::string> data;
};

/// Every consistent arithmetic but one, once; empty where all that are left are the same.
[[nodiscard]] std::vector<model_distinction> distinctions_in(const product_inputs& inputs,
                                                             const product_verdict& verdict);

[[nodiscard]] ordered_json json_of(const product_inputs& inputs, const product_verdict& verdict);
void print_text(const product_inputs& inputs, const product_verdict& verdict);

}  // namespace sim::cli
