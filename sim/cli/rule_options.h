// SPDX-License-Identifier: Apache-2.0
// sim/cli/rule_options.h: the options that say how numbers become codes, and what exists of them.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "mx/scale.h"
#include "sim/cli/command.h"

namespace sim::cli {

/// A name on the command line and what it stands for, in words.
struct named_choice {
  std::string_view name, meaning;
};

// All that this version has.
[[nodiscard]] std::span<const named_choice> formats();
[[nodiscard]] std::span<const named_choice> scale_rules();
[[nodiscard]] std::span<const named_choice> roundings();
[[nodiscard]] std::span<const named_choice> packings();
[[nodiscard]] std::span<const named_choice> layouts();
[[nodiscard]] std::span<const named_choice> variants();

/// "floor rceil"; "(none)" where there is none.
[[nodiscard]] std::string names_of(std::span<const named_choice> choices);

/// Two 4-bit codes a byte, low nibble first, or one.
enum class packing : unsigned char { packed, unpacked };

struct rule_options {
  std::string format = "mxfp4", scale_rule = "floor", rounding = "nearest-even", variant;
  std::uint64_t seed = 0;
  std::optional<int> axis;

  [[nodiscard]] mx::scale_rule rule() const;
};

struct storage_options {
  std::string packing = "packed", layout = "linear";

  [[nodiscard]] cli::packing codes() const;
};

/// --format --scale-rule --rounding --seed --variant. Names that do not exist are refused by the
/// parser with a list of those that do.
void add_rule_options(CLI::App& command, rule_options& options);
/// --axis
void add_axis_option(CLI::App& command, rule_options& options);
/// --packing --layout
void add_storage_options(CLI::App& command, storage_options& options);

}  // namespace sim::cli
