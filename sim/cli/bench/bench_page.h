// SPDX-License-Identifier: Apache-2.0
// sim/cli/bench/bench_page.h: bench figures as text or JSON.
#pragma once
#include "sim/cli/bench/bench.h"
#include "sim/cli/terminal/command.h"

namespace sim::cli {

void print_results(const std::vector<bench_result>& results, output form);

}  // namespace sim::cli
