// SPDX-License-Identifier: Apache-2.0
// sim/cli/train/report_command.h: regenerates the page of a run folder.
#pragma once
#include "sim/cli/terminal/command.h"

namespace sim::cli {

void add_report(CLI::App& program, action& chosen);

}  // namespace sim::cli
