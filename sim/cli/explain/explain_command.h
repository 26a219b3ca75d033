// SPDX-License-Identifier: Apache-2.0
// sim/cli/explain/explain_command.h: one block from the command line, step by step.
#pragma once
#include "sim/cli/terminal/command.h"

namespace sim::cli {

void add_explain(CLI::App& program, action& chosen);

}  // namespace sim::cli
