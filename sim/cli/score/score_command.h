// SPDX-License-Identifier: Apache-2.0
// sim/cli/score/score_command.h: which known bugs a user's own test misses.
#pragma once
#include "sim/cli/terminal/command.h"

namespace sim::cli {

void add_score(CLI::App& program, action& chosen);

}  // namespace sim::cli
