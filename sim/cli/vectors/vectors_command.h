// SPDX-License-Identifier: Apache-2.0
// sim/cli/vectors/vectors_command.h: adversarial packs, listed and written.
#pragma once
#include "sim/cli/terminal/command.h"

namespace sim::cli {

void add_vectors(CLI::App& program, action& chosen);

}  // namespace sim::cli
