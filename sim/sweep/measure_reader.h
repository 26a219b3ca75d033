// SPDX-License-Identifier: Apache-2.0
// sim/sweep/measure_reader.h: reads what a sweep measures, and by which metrics it compares points.
#pragma once
#include <string>

#include "sim/study/table_reader.h"
#include "sim/sweep/sweep_study.h"

namespace sim {

/// Reads `measures` and [product]; the inputs are there.
///   errors  study_error; also for a measure that no input gives, and for an input without a
///           measure
void read_measures(table_reader& root, sweep_study& s);

/// A metric in which one of two values is the better one, and that some input has; the usual one
/// where the key is absent.
///   errors  study_error
[[nodiscard]] std::string read_metric(table_reader& at, std::string_view key, const sweep_study& s);

}  // namespace sim
