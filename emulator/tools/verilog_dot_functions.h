// SPDX-License-Identifier: Apache-2.0
// emulator/tools/verilog_dot_functions.h: widths of a dot product in hardware.
#pragma once
#include <string_view>

namespace verilog {

/// Functions of the package that follow from the formats of a dot product.
extern const std::string_view dot_functions;

}  // namespace verilog
