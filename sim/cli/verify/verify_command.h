// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/verify_command.h: a bit-exact verdict on a kernel's output.
#pragma once
#include "sim/cli/terminal/command.h"

namespace sim::cli {

void add_verify(CLI::App& program, action& chosen);

}  // namespace sim::cli
