// SPDX-License-Identifier: Apache-2.0
// sim/cli/explain/explain_words.h: the reasons for a scale and a code, for text and JSON.
#pragma once
#include <optional>
#include <string>

#include "golden/explain/explained_block.h"
#include "sim/cli/terminal/exact_text.h"
#include "sim/cli/terminal/json_text.h"

namespace sim::cli {

using golden::explain::decision;
using golden::explain::explained;
using golden::explain::explained_block;
using golden::explain::explained_element;
using golden::explain::name_of;

/// The components of an element's error as exact numbers; they add up to `total`.
struct exact_error {
  exact_number ideal, total, scale, deadzone, grid, clip;
  bool scale_dead = false;
};

///   e        of a block with a scale
///   returns  no value if the numbers span over 128 bits: a value that saturates far below x
[[nodiscard]] std::optional<exact_error> error_of(const explained_block& b,
                                                  const explained_element& e);

/// x divided by scale and tensor scale.
[[nodiscard]] exact_number quotient_of(const explained_block& b, const explained_element& e);
/// amax divided by the largest element: the unrounded scale s*.
[[nodiscard]] exact_number ideal_scale_of(const explained_block& b);

[[nodiscard]] std::string reason_of_scale(const explained_block& b);
[[nodiscard]] std::string reason_of_code(const explained_block& b, const explained_element& e);

/// The whole block.
[[nodiscard]] std::string text_of(const explained_block& b);
[[nodiscard]] ordered_json json_of(const explained_block& b);

}  // namespace sim::cli
