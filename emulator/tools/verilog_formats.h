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

/// `mx_pkg::Name` of a format; nothing where the package has no such format.
[[nodiscard]] std::string format_name(const mx::format& wanted);

/// Constants that are formats, how modules are told what to do, functions of a format.
[[nodiscard]] std::string formats_text();

}  // namespace verilog
