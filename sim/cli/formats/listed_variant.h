// SPDX-License-Identifier: Apache-2.0
// sim/cli/formats/listed_variant.h: descriptions of presets of public kernels: sources and doubts.
#pragma once
#include <string>

#include "sim/cli/terminal/json_text.h"

namespace mx {
struct variant_entry;
}

namespace sim::cli {

/// Source, formats, evidence and doubts, a line or more each.
[[nodiscard]] std::string described(const mx::variant_entry& entry);
[[nodiscard]] ordered_json json_of(const mx::variant_entry& entry);

/// All presets, one a line: name, formats, evidence, and ! where there are doubts.
[[nodiscard]] std::string variants_text();
[[nodiscard]] ordered_json variants_json();

/// The names of other frameworks, and the equivalent names here.
[[nodiscard]] std::string crosswalk_text();
[[nodiscard]] ordered_json crosswalk_json();

}  // namespace sim::cli
