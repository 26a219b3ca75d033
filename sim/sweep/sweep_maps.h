// SPDX-License-Identifier: Apache-2.0
// sim/sweep/sweep_maps.h: heat maps of a sweep: two of its fields, and its inputs by points.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/sweep/sweep_table.h"

namespace sim {

/// Values of a field among the points, in the order of their first appearance; "-" for points that
/// lack it.
[[nodiscard]] std::vector<std::string> values_of(const sweep_results& r, std::string_view field);
[[nodiscard]] std::string value_at(const sweep_point& p, std::string_view field);

/// The fields with several values, at most `most`, in the order of fields_of.
[[nodiscard]] std::vector<std::string_view> varied_fields(const sweep_results& r, std::size_t most);

/// One map an input: for every two values of the first two varied fields the best result over all
/// others. Empty with fewer than two such fields.
[[nodiscard]] std::string maps_of_fields(const sweep_results& r);

/// The points of all inputs' fronts by input: whether what is best on one is best on another. Empty
/// with one input.
[[nodiscard]] std::string map_of_inputs(const sweep_results& r);

}  // namespace sim
