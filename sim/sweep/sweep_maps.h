// SPDX-License-Identifier: Apache-2.0
// sim/sweep/sweep_maps.h: heat maps of a sweep: two of its fields, and its inputs by points.
#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "sim/sweep/sweep_table.h"

namespace sim {

/// Values of a field among the points, in the order of their first appearance.
[[nodiscard]] std::vector<std::string> values_of(const sweep_results& r, std::string_view field);

/// The parts that every recipe has: element, scale, block, scale rule, rounding.
inline constexpr std::array<std::string_view, 5> recipe_parts{"element", "scale", "block",
                                                              "scale_rule", "rounding"};

/// recipe_parts, then the other fields that some point has, whole formats last.
[[nodiscard]] std::vector<std::string_view> shown_fields(const sweep_results& r);

/// The shown fields with several values, at most `most`.
[[nodiscard]] std::vector<std::string_view> varied_fields(const sweep_results& r, std::size_t most);

/// One map an input: for every two values of the first two varied fields the best result over all
/// others. Empty with fewer than two such fields.
[[nodiscard]] std::string maps_of_fields(const sweep_results& r);

/// The points of all inputs' fronts by input, of the inputs that have the study's page_metric:
/// whether what is best on one is best on another. Empty with one such input.
[[nodiscard]] std::string map_of_inputs(const sweep_results& r);

}  // namespace sim
