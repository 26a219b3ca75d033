// SPDX-License-Identifier: Apache-2.0
// emulator/tools/verilog_parts.h: the parts of mx_pkg.sv, and the modules under the emulator's
// names.
#pragma once
#include <string>
#include <string_view>

#include "mx/number/format.h"

namespace verilog {

/// Constants that are formats, control parameters of modules, functions of a format.
[[nodiscard]] std::string formats_text();

/// `mx_pkg::Name` of a format; empty if the package lacks the format.
[[nodiscard]] std::string format_name(const mx::format& wanted);

/// Constants of mx_pkg.sv that are parameters of models.
[[nodiscard]] std::string models_text();

/// mx_dot_models.sv.
[[nodiscard]] std::string models_file();

/// Functions of the package that follow from the formats of a dot product.
extern const std::string_view dot_functions;

/// Constants of mx_pkg.sv for the quantizer: scale rules, their bounds, the macro-block factor.
[[nodiscard]] std::string quantizer_text();

/// mx_quantizer_models.sv.
[[nodiscard]] std::string quantizer_file();

}  // namespace verilog
