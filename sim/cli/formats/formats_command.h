// SPDX-License-Identifier: Apache-2.0
// sim/cli/formats/formats_command.h: lists everything that exists, or tells all of one name.
#pragma once
#include "sim/cli/terminal/command.h"

namespace sim::cli {

void add_formats(CLI::App& program, action& chosen);

}  // namespace sim::cli
