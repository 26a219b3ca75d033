// SPDX-License-Identifier: Apache-2.0
// sim/cli/formats/listed_formats.h: the lists of all names, from the tables of the core.
#pragma once
#include <string>

#include "sim/cli/terminal/json_text.h"

namespace sim::cli {

/// Formats, rules, roundings, corrections, packings, layouts, variants, crosswalk, models.
[[nodiscard]] std::string formats_text();
[[nodiscard]] ordered_json formats_json();

/// Details of one name, from all tables, or of a format spelled out.
///   errors  usage_error with the nearest name
[[nodiscard]] std::string details_text(const std::string& name);
[[nodiscard]] ordered_json details_json(const std::string& name);

}  // namespace sim::cli
