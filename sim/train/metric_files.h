// SPDX-License-Identifier: Apache-2.0
// sim/train/metric_files.h: the rows of metrics.csv and metrics.jsonl as text.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/report/metrics.h"

namespace sim {

/// With a first line of the columns' names.
[[nodiscard]] std::string metrics_csv(const std::vector<metric_row>& rows, std::uint64_t seed);
/// One object a line, as row_as_json.
[[nodiscard]] std::string metrics_jsonl(const std::vector<metric_row>& rows, std::uint64_t seed);

}  // namespace sim
