// SPDX-License-Identifier: Apache-2.0
// sim/cli/quantize/quantize_command.h: codes and scales of every tensor of a file.
#pragma once
#include "sim/cli/terminal/command.h"

namespace sim::cli {

void add_quantize(CLI::App& program, action& chosen);

}  // namespace sim::cli
