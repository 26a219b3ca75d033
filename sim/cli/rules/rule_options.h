// SPDX-License-Identifier: Apache-2.0
// sim/cli/rules/rule_options.h: the options that say how numbers become codes, as they are typed.
#pragma once
#include <optional>

#include "mx/recipe_words.h"
#include "sim/cli/terminal/command.h"

namespace sim::cli {

/// What was asked for; what is absent has a default that may depend on the rest.
struct rule_options : mx::recipe_words {
  std::optional<int> axis;
};

/// --format --scale-rule --rounding --seed --random-bits --byte-map --variant
void add_rule_options(CLI::App& command, rule_options& options);
/// --format --variant, for files that do not say it themselves
void add_decoding_options(CLI::App& command, rule_options& options);
/// --axis
void add_axis_option(CLI::App& command, rule_options& options);
/// --packing --layout
void add_storage_options(CLI::App& command, rule_options& options);

}  // namespace sim::cli
