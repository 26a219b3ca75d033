// SPDX-License-Identifier: Apache-2.0
// sim/cli/products/plan_options.h: command-line options for how a product's elements are computed.
#pragma once
#include <optional>
#include <string>

#include "golden/io/tensor.h"
#include "mx/dot/bulk_gemm.h"
#include "sim/cli/products/gemm_factor.h"
#include "sim/cli/terminal/json_text.h"

namespace sim::cli {

struct plan_options {
  std::optional<std::string> alpha, out, out_rounding;
  std::string split_order = "ascending", c_entry = "first-step";
  matrix_order a_order = matrix_order::row_major, b_order = a_order, d_order = a_order;
  int promote = 0, split_k = 1;
};

/// --alpha --promote --split-k --split-order --c-entry --out --out-rounding --a-order --b-order
/// --d-order
void add_plan_options(CLI::App& command, plan_options& options);

/// What the sums of a product of two factors are multiplied by.
///   errors  usage_error: an alpha that is no number of FP32
[[nodiscard]] mx::sum_factors factors_of(const plan_options& options, const gemm_factor& a,
                                         const gemm_factor& b);

/// The plan of a product of two factors; their tensor scales are multiplied into alpha.
///   errors  usage_error for an unsupported combination of options, model and factors
[[nodiscard]] mx::gemm_plan plan_of(const mx::named_model& model, const plan_options& options,
                                    const gemm_factor& a, const gemm_factor& b);

/// "row-major", "column-major"
[[nodiscard]] std::string order_name(matrix_order order);

/// The plan in terms of the options.
[[nodiscard]] ordered_json plan_json(const mx::gemm_plan& plan);

}  // namespace sim::cli
