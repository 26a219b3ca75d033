// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/product_command.h: `verify --gemm`: the models of tensor cores that a kernel's
// product is consistent with.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sim/cli/products/plan_options.h"
#include "sim/cli/rules/rule_options.h"
#include "sim/cli/terminal/command.h"

namespace sim::cli {

/// Options for products alone.
///   gemm  A and B; empty: no product is verified
struct product_options {
  std::vector<std::string> gemm;
  std::optional<std::string> model, b_format, c;
  plan_options plan;
};

/// Options of `verify` for any subject.
///   junit, report, repro  two files and a folder to write; empty: none
struct verify_request {
  std::string kernel_out;
  rule_options rules;
  std::string junit, report, repro;
  output form = output::text;
};

/// --gemm --model --b-format --c, and those of a plan
void add_product_options(CLI::App& command, product_options& options);

/// Refuses, before any work, files and a folder that cannot be written.
///   errors  usage_error
void expect_writable_extras(const verify_request& request);

/// Prints the verdict; returns the exit status.
///   errors  usage_error, file_error
[[nodiscard]] int verify_product(const product_options& options, const verify_request& request);

}  // namespace sim::cli
