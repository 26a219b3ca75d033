// SPDX-License-Identifier: Apache-2.0
// sim/cli/products/model_choice.h: the model of a dot product that a name stands for, with the
// formats of the operands that it is given.
#pragma once
#include <optional>
#include <string>

#include "mx/models.h"
#include "sim/cli/terminal/command.h"

namespace sim::cli {

/// The model of --model.
///   errors  usage_error with the nearest name
[[nodiscard]] const mx::named_model& model_chosen(const std::string& name);

/// Adds --model, which is required.
void add_model_option(CLI::App& command, std::string& name);

/// What is known of operands from elsewhere than the model's name.
///   scale, block  nothing and 0: there are no scales
struct operand_formats {
  mx::format a, b;
  std::optional<mx::format> scale;
  int block = 0;
};

/// Why a model does not take an operand in a format; empty where it does. Instructions for FP8 and
/// narrower numbers take A and B of two formats.
[[nodiscard]] std::string refusal_of(const mx::named_model& model, const mx::format& own,
                                     const mx::format& asked);

/// The entry that says what a model rests on once A and B have their formats: that of the pair.
[[nodiscard]] const mx::named_model& model_told(const mx::named_model& model,
                                                const mx::dot_model& made);

/// The model for operands of these formats.
///   errors  usage_error where no intermediate would have room
[[nodiscard]] mx::dot_model model_for(const mx::named_model& model, const operand_formats& formats);

}  // namespace sim::cli
