// SPDX-License-Identifier: Apache-2.0
// emulator/tools/verilog_dot.h: dot products under the emulator's models.
#pragma once
#include <string>

namespace verilog {

/// Constants of mx_pkg.sv that are parameters of models.
[[nodiscard]] std::string models_text();

/// mx_dot_models.sv.
[[nodiscard]] std::string models_file();

}  // namespace verilog
