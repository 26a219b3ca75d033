// SPDX-License-Identifier: Apache-2.0
// sim/cli/formats/listed_formats.h: the page of names and the lists behind it, from the tables of
// the core.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "sim/cli/terminal/json_text.h"

namespace mx {
struct named_model;
struct variant_entry;
namespace binary64 {
struct named_model;
}  // namespace binary64
}  // namespace mx

namespace sim::cli {

/// A list of names with their meaning, and the option that prints it.
///   keys  of formats_json that hold the same
struct name_list {
  const char *option, *what;
  std::string (*text)();
  std::vector<const char*> keys;
};

/// Formats, elements, corrections, rules, roundings, layouts, variants, crosswalk, models, files.
[[nodiscard]] std::span<const name_list> name_lists();

/// All lists, as one object.
[[nodiscard]] ordered_json formats_json();

/// Two screens: the formats, the names of everything else, and what to type next.
[[nodiscard]] std::string formats_page();

/// The formats of blocks, one a line, and the forms of custom ones.
[[nodiscard]] std::string block_formats_text();

/// Details of one name, from all tables, or of a format spelled out.
///   errors  usage_error with the nearest name
[[nodiscard]] std::string details_text(const std::string& name);
[[nodiscard]] ordered_json details_json(const std::string& name);

// Presets of public kernels: sources and doubts.

/// Source, formats, evidence and doubts, a line or more each.
[[nodiscard]] std::string described(const mx::variant_entry& entry);
[[nodiscard]] ordered_json json_of(const mx::variant_entry& entry);

/// All presets, one a line: name, formats, evidence, and ! where there are doubts.
[[nodiscard]] std::string variants_text();
[[nodiscard]] ordered_json variants_json();

/// The names of other frameworks, and the equivalent names here.
[[nodiscard]] std::string crosswalk_text();
[[nodiscard]] ordered_json crosswalk_json();

// Models of dot products: accepted operands, evidence, doubts.

/// Operands, result, evidence, source and doubts, a line or more each.
[[nodiscard]] std::string described(const mx::named_model& model);
[[nodiscard]] std::string described(const mx::binary64::named_model& model);
[[nodiscard]] ordered_json json_of(const mx::named_model& model);
[[nodiscard]] ordered_json json_of(const mx::binary64::named_model& model);

/// Evidence, its source and doubts: the lines that come with every result of a model.
[[nodiscard]] std::string evidence_lines(const mx::named_model& model);
[[nodiscard]] std::string evidence_lines(const mx::binary64::named_model& model);

/// All models, one a line: name, evidence, and ! where there are doubts.
[[nodiscard]] std::string models_text();
[[nodiscard]] ordered_json models_json();

}  // namespace sim::cli
