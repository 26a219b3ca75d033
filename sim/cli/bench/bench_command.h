// SPDX-License-Identifier: Apache-2.0
// sim/cli/bench/bench_command.h: runs benches and prints their figures.
#pragma once
#include "sim/cli/terminal/command.h"

namespace sim::cli {

void add_bench(CLI::App& program, action& chosen);

}  // namespace sim::cli
