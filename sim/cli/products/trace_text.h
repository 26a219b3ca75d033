// SPDX-License-Identifier: Apache-2.0
// sim/cli/products/trace_text.h: the steps of one dot product, in bits and in words.
#pragma once
#include <string>

#include "sim/cli/products/dot_trace.h"
#include "sim/cli/terminal/json_text.h"

namespace sim::cli {

/// Operands, every kept step with its aligned terms and what was cut off, result.
[[nodiscard]] std::string trace_text(const dot_file& words, const dot_trace& trace);
[[nodiscard]] ordered_json trace_json(const dot_file& words, const dot_trace& trace);

}  // namespace sim::cli
