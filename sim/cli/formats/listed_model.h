// SPDX-License-Identifier: Apache-2.0
// sim/cli/formats/listed_model.h: descriptions of models of dot products: accepted operands,
// evidence, doubts.
#pragma once
#include <string>

#include "sim/cli/terminal/json_text.h"

namespace mx {
struct named_model;
}

namespace sim::cli {

/// Operands, result, evidence, source and doubts, a line or more each.
[[nodiscard]] std::string described(const mx::named_model& model);
[[nodiscard]] ordered_json json_of(const mx::named_model& model);

/// Evidence, its source and doubts: the lines that come with every result of a model.
[[nodiscard]] std::string evidence_lines(const mx::named_model& model);

/// All models, one a line: name, evidence, and ! where there are doubts.
[[nodiscard]] std::string models_text();
[[nodiscard]] ordered_json models_json();

}  // namespace sim::cli
