// SPDX-License-Identifier: Apache-2.0
// sim/cli/decompose/decompose_command.h: the exact components of every tensor's quantization error.
#pragma once
#include "sim/cli/terminal/command.h"

namespace sim::cli {

void add_decompose(CLI::App& program, action& chosen);

}  // namespace sim::cli
