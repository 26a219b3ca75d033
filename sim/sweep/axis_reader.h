// SPDX-License-Identifier: Apache-2.0
// sim/sweep/axis_reader.h: reads the axes of a sweep: lists, ranges and their conditions.
#pragma once
#include "sim/study/table_reader.h"
#include "sim/sweep/sweep_study.h"

namespace sim {

/// An axis is a value, a list of values, or a table:
///   { values = [...] }
///   { from = 16, to = 128, step = 16 } or { from = 16, to = 128, factor = 2 }
/// and a table may have a condition on other axes: when = "scale == e8m0".
///   errors  study_error
[[nodiscard]] sweep_grid read_grid(table_reader& at);

/// A condition of a file.
///   errors  study_error naming the key
[[nodiscard]] condition read_condition(const table_reader& at, std::string_view key,
                                       const std::string& text);

/// Names of all axes.
[[nodiscard]] const std::vector<std::string_view>& axis_names();

}  // namespace sim
