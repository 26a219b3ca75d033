// SPDX-License-Identifier: Apache-2.0
// emulator/tools/verilog_text.cpp: lines of Verilog.
#include "verilog_text.h"

namespace verilog {

std::string constant(std::string_view type, std::string_view name, const std::string& value) {
  return "  localparam " + std::string(type) + " " + std::string(name) + " = " + value + ";\n";
}
std::string number(std::string_view name, int value) {
  return constant("int", name, std::to_string(value));
}

std::string hexadecimal(int width, std::uint32_t value) {
  static constexpr std::string_view digits = "0123456789ABCDEF";
  std::string text = std::to_string(width) + "'h";
  for (int shift = 28; shift >= 0; shift -= 4) text += digits[value >> shift & 15];
  return text;
}

std::string parameter(std::string_view name, const std::string& value) {
  return "    ." + std::string(name) + "(" + value + "),\n";
}
std::string parameter(std::string_view name, int value) {
  return parameter(name, std::to_string(value));
}

std::string port(std::string_view direction, int width, std::string_view name) {
  return "  " + std::string(direction) + " logic [" + std::to_string(width - 1) + ":0] " +
         std::string(name) + ",\n";
}

std::string head(std::string_view about) {
  return "// SPDX-License-Identifier: Apache-2.0\n// " + std::string(about) +
         "\n// Written by emulator/tools/emit_package.cpp; do not edit.\n";
}

}  // namespace verilog
