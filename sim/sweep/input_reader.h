// SPDX-License-Identifier: Apache-2.0
// sim/sweep/input_reader.h: reads the [[input]] tables of a sweep.
#pragma once
#include <vector>

#include "sim/study/table_reader.h"
#include "sim/sweep/sweep_study.h"

namespace sim {

/// The tables of an array of tables; none where the key is absent.
[[nodiscard]] std::vector<table_reader> tables_in(table_reader& at, std::string_view key);

/// Reads the inputs.
///   errors  study_error; also without any, and for two of one name
void read_inputs(table_reader& root, sweep_study& s);

}  // namespace sim
