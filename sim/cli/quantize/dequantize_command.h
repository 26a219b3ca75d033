// SPDX-License-Identifier: Apache-2.0
// sim/cli/quantize/dequantize_command.h: decodes codes and scales to FP32 values.
#pragma once
#include "sim/cli/terminal/command.h"

namespace sim::cli {

void add_dequantize(CLI::App& program, action& chosen);

}  // namespace sim::cli
