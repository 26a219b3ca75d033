// SPDX-License-Identifier: Apache-2.0
// sim/cli/probe/probe_command.h: `mxprism probe make` and `mxprism probe read`.
#pragma once
#include "sim/cli/terminal/command.h"

namespace sim::cli {

void add_probe(CLI::App& program, action& chosen);

}  // namespace sim::cli
