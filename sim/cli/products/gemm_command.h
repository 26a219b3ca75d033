// SPDX-License-Identifier: Apache-2.0
// sim/cli/products/gemm_command.h: a whole product under a model of a tensor core.
#pragma once
#include "sim/cli/terminal/command.h"

namespace sim::cli {

void add_gemm(CLI::App& program, action& chosen);

}  // namespace sim::cli
