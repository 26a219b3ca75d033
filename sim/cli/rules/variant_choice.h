// SPDX-License-Identifier: Apache-2.0
// sim/cli/rules/variant_choice.h: the presets of public kernels, by what the command does with
// them.
#pragma once
#include <optional>
#include <string>

#include "mx/bulk_variants.h"
#include "mx/packing.h"

namespace sim::cli {

/// The preset of a name.
///   errors  usage_error with the nearest name
[[nodiscard]] const mx::variant_entry& variant_chosen(const std::string& name);
[[nodiscard]] std::string name_of(const mx::variant_entry& entry);

/// The format a preset quantizes to: the one asked for, or its first.
///   errors  usage_error where it has no such format
[[nodiscard]] mx::block_format format_of_variant(const mx::variant_entry& entry,
                                                 const std::optional<std::string>& asked);

/// The order of nibbles that its kernels have.
[[nodiscard]] mx::nibble_order nibbles_of(const mx::variant_entry& entry);

/// Refuses (usage_error) presets that make no scales, or decode nothing.
void expect_quantizer(const mx::variant_entry& entry);
void expect_decoder(const mx::variant_entry& entry);

}  // namespace sim::cli
