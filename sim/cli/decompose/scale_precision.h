// SPDX-License-Identifier: Apache-2.0
// sim/cli/decompose/scale_precision.h: how the error falls to its floor as scales gain fraction
// bits.
// Source: arXiv 2605.20402, figure 2a.
#pragma once
#include <string>
#include <vector>

#include "mx/tensor/recipe.h"
#include "sim/cli/decompose/decomposed_tensor.h"

namespace sim::cli {

/// Most fraction bits of a scale that the sweep takes.
inline constexpr int most_fraction_bits = 8;

/// Whether the user named the scale rule of a recipe.
enum class rule_origin : unsigned char { given, by_default };

/// The recipe, and the same with scales of 1 to `last` fraction bits (E8M1, E8M2, ...): under its
/// own scale rule if that was given, else under the default of such scales, ideal.
///   errors  usage_error unless its scales are E8M0, stored, without a tensor scale; for a given
///           rule under which all of them would be powers of two
[[nodiscard]] std::vector<mx::recipe> recipes_of_precisions(const mx::recipe& r, rule_origin origin,
                                                            int last);

/// What a file's tensors are under one precision of the scale.
struct at_precision {
  int fraction_bits = 0;
  std::vector<tensor_kind> kinds;
  tensor_kind whole;
};

/// Energy of the error over that of deadzone and grid: 1 at the floor.
[[nodiscard]] double over_floor(const error_figures& figures);

[[nodiscard]] ordered_json json_of(const at_precision& p);
[[nodiscard]] std::string text_of(const std::vector<at_precision>& precisions);

}  // namespace sim::cli
