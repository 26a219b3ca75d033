// SPDX-License-Identifier: Apache-2.0
// sim/cli/rules/format_file.h: a format and its rules in a TOML file.
#pragma once
#include <string>

#include "sim/cli/rules/rule_options.h"

namespace sim::cli {

/// Reads
///   element = "e2m1"          required
///   scale = "e8m3"            default e8m0
///   block = 32                or "16x16"; default 32
///   tensor_scale = "tensor"   tensor, row, tensor256 or row256; default none
///   corrections = "mbs=128,8+of=0.5"
///   scale_rule, rounding, byte_map = "..."; seed, random_bits = N
/// and returns the equivalent options of these names, with the format in one spelling.
///   errors  study_error with line and key; file_error where the file cannot be read
[[nodiscard]] mx::recipe_words format_file(const std::string& path);

}  // namespace sim::cli
