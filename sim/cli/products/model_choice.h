// SPDX-License-Identifier: Apache-2.0
// sim/cli/products/model_choice.h: the model of a dot product by its name, for operands of given
// formats.
#pragma once
#include <string>

#include "mx/dot/models.h"
#include "mx/spelling.h"
#include "sim/cli/terminal/command.h"

namespace sim::cli {

/// The model of --model.
///   errors  usage_error with the nearest name
[[nodiscard]] const mx::named_model& model_chosen(const std::string& name);

/// Adds --model, which is required.
void add_model_option(CLI::App& command, std::string& name);

/// The table entry with the evidence for A and B in their formats: that of the pair.
[[nodiscard]] const mx::named_model& model_told(const mx::named_model& model,
                                                const mx::dot_model& made);

/// The model for operands of these formats.
///   errors  usage_error for unsupported combinations, or where no intermediate would fit
[[nodiscard]] mx::dot_model model_of_operands(const mx::named_model& model,
                                              const mx::product_formats& formats);

}  // namespace sim::cli
