// SPDX-License-Identifier: Apache-2.0
// emulator/tools/verilog_text.h: lines of Verilog.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace verilog {

/// `  localparam type name = value;`
[[nodiscard]] std::string constant(std::string_view type, std::string_view name,
                                   const std::string& value);
[[nodiscard]] std::string number(std::string_view name, int value);

/// A literal of `width` bits.
[[nodiscard]] std::string hexadecimal(int width, std::uint32_t value);

/// A line of an instance's parameters, and one of a module's ports.
[[nodiscard]] std::string parameter(std::string_view name, const std::string& value);
[[nodiscard]] std::string parameter(std::string_view name, int value);
[[nodiscard]] std::string port(std::string_view direction, int width, std::string_view name);

/// The first lines of a generated file.
///   about  `name: what it is`
[[nodiscard]] std::string head(std::string_view about);

}  // namespace verilog
