// SPDX-License-Identifier: Apache-2.0
// emulator/tools/verilog_quantizer.h: the quantizer to MXFP4 in hardware.
#pragma once
#include <string>

namespace verilog {

/// Constants of mx_pkg.sv for the quantizer: scale rules, their bounds, the macro-block factor.
[[nodiscard]] std::string quantizer_text();

/// mx_quantizer_models.sv.
[[nodiscard]] std::string quantizer_file();

}  // namespace verilog
