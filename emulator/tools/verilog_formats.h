// SPDX-License-Identifier: Apache-2.0
// emulator/tools/verilog_formats.h: the formats of mx_pkg.sv.
#pragma once
#include <string>
#include <string_view>

#include "mx/number/format.h"

namespace verilog {

struct package_format {
  std::string_view name;
  mx::format value;
};

/// `mx_pkg::Name` of a format; empty if the package lacks the format.
[[nodiscard]] std::string format_name(const mx::format& wanted);

/// Constants that are formats, control parameters of modules, functions of a format.
[[nodiscard]] std::string formats_text();

}  // namespace verilog
