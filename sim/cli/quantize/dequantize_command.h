// SPDX-License-Identifier: Apache-2.0
// sim/cli/quantize/dequantize_command.h: the FP32 values that codes and scales stand for.
#pragma once
#include "sim/cli/terminal/command.h"

namespace sim::cli {

void add_dequantize(CLI::App& program, action& chosen);

}  // namespace sim::cli
