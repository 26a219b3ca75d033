// SPDX-License-Identifier: Apache-2.0
// sim/cli/rules/chosen_recipe.h: the recipe that the options of a command name.
#pragma once
#include <string>

#include "sim/cli/rules/rule_options.h"

namespace sim::cli {

/// The recipe of the options, and of the file of an @FILE format; the options win.
///   errors  usage_error, with the nearest name where there is one, or why they do not go together
[[nodiscard]] mx::recipe recipe_of(const mx::recipe_words& options);

/// The names that files and JSON have; of a preset: "variant".
[[nodiscard]] std::string scale_rule_name(const mx::recipe& r);
[[nodiscard]] std::string rounding_name(const mx::recipe& r);

/// Refuses (usage_error) presets that make no scales, or decode nothing.
void expect_quantizer(const mx::recipe& r);
void expect_decoder(const mx::recipe& r);

/// Refuses (usage_error) recipes whose codes cannot be stored.
void expect_storable(const mx::recipe& r);

}  // namespace sim::cli
