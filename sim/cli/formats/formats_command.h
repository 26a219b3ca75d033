// SPDX-License-Identifier: Apache-2.0
// sim/cli/formats/formats_command.h: lists all names, or the details of one.
#pragma once
#include "sim/cli/terminal/command.h"

namespace sim::cli {

void add_formats(CLI::App& program, action& chosen);

}  // namespace sim::cli
