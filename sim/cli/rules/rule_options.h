// SPDX-License-Identifier: Apache-2.0
// sim/cli/rules/rule_options.h: the options that say how numbers become codes, as they are typed.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "sim/cli/terminal/command.h"

namespace sim::cli {

/// What was asked for; what is absent has a default that may depend on the rest.
struct rule_options {
  std::optional<std::string> format, scale_rule, rounding, byte_map, variant;
  std::optional<std::uint64_t> seed;
  std::optional<int> random_bits, axis;
};

struct storage_options {
  std::optional<std::string> packing, layout;
};

/// --format --scale-rule --rounding --seed --random-bits --byte-map --variant
void add_rule_options(CLI::App& command, rule_options& options);
/// --format --variant, for files that do not say it themselves
void add_decoding_options(CLI::App& command, rule_options& options);
/// --axis
void add_axis_option(CLI::App& command, rule_options& options);
/// --packing --layout
void add_storage_options(CLI::App& command, storage_options& options);

}  // namespace sim::cli
