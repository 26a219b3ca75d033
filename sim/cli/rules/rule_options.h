// SPDX-License-Identifier: Apache-2.0
// sim/cli/rules/rule_options.h: the command-line options of quantization rules.
#pragma once
#include <optional>

#include "mx/recipe_words.h"
#include "sim/cli/terminal/command.h"

namespace sim::cli {

/// The given options; the default of an absent one may depend on the rest.
struct rule_options : mx::recipe_words {
  std::optional<int> axis;
};

/// The rules that a command takes: any; no corrections; neither corrections nor presets. What it
/// does not take is left out of its help; --variant is parsed all the same, for a refusal with the
/// reason.
enum class rule_scope : unsigned char { any, uncorrected, plain };

/// --format --scale-rule --rounding --seed --random-bits --byte-map --variant
void add_rule_options(CLI::App& command, rule_options& options, rule_scope scope = rule_scope::any);
/// --format --variant, for files without this in their metadata
void add_decoding_options(CLI::App& command, rule_options& options);
/// --axis
void add_axis_option(CLI::App& command, rule_options& options);
/// --packing --layout
void add_storage_options(CLI::App& command, rule_options& options);

}  // namespace sim::cli
