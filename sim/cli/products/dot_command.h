// SPDX-License-Identifier: Apache-2.0
// sim/cli/products/dot_command.h: dot-product-add words under a model of a tensor core.
#pragma once
#include "sim/cli/terminal/command.h"

namespace sim::cli {

void add_dot(CLI::App& program, action& chosen);

}  // namespace sim::cli
