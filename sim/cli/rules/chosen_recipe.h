// SPDX-License-Identifier: Apache-2.0
// sim/cli/rules/chosen_recipe.h: the recipe that a command's options specify.
#pragma once
#include <string>

#include "sim/cli/rules/rule_options.h"

namespace sim::cli {

/// The recipe of the options, and of the file of an @FILE format; options take precedence.
///   errors  usage_error with the nearest name, if any, or the reason of an unsupported combination
[[nodiscard]] mx::recipe recipe_of(const mx::recipe_words& options);

/// The options, with the words of an @FILE format's file in place of what is absent.
[[nodiscard]] mx::recipe_words with_file(const mx::recipe_words& options);

/// "--variant NAME" of a preset, else "--format NAME".
[[nodiscard]] std::string option_of(const mx::recipe& r);

/// The name used in files and JSON; for a preset: "variant".
[[nodiscard]] std::string scale_rule_name(const mx::recipe& r);
[[nodiscard]] std::string rounding_name(const mx::recipe& r);

/// Refuses (usage_error) presets that compute no scales, or only decode.
void expect_quantizer(const mx::recipe& r);
void expect_decoder(const mx::recipe& r);

/// Refuses (usage_error) recipes whose codes cannot be stored.
void expect_storable(const mx::recipe& r);

}  // namespace sim::cli
