// SPDX-License-Identifier: Apache-2.0
// sim/cli/train/train_command.h: RL training under every arm of a study.
#pragma once
#include "sim/cli/terminal/command.h"

namespace sim::cli {

void add_train(CLI::App& program, action& chosen);

}  // namespace sim::cli
