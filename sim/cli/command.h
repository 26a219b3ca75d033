// SPDX-License-Identifier: Apache-2.0
// sim/cli/command.h: the subcommands: each is declared to the parser, and leaves behind what to do.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <stdexcept>
#include <string>

namespace sim::cli {

/// Exit status of the program.
namespace exit_status {
inline constexpr int done = 0;        ///< also: equal
inline constexpr int difference = 1;  ///< a comparison found one, or a claim failed
inline constexpr int bad_input = 2;   ///< bad usage or bad input
inline constexpr int bug = 3;
}  // namespace exit_status

/// Bad usage that the parser cannot see. The message says what was expected.
struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What the command line asks for, carried out once all of it was read; returns the exit status.
using action = std::function<int()>;

// Each adds one subcommand, which sets `chosen` where the command line names it.
void add_formats(CLI::App& program, action& chosen);
void add_explain(CLI::App& program, action& chosen);
void add_quantize(CLI::App& program, action& chosen);
void add_dequantize(CLI::App& program, action& chosen);
void add_decompose(CLI::App& program, action& chosen);
void add_report(CLI::App& program, action& chosen);
void add_bench(CLI::App& program, action& chosen);

/// What goes to the terminal: words for people, or one JSON object for programs.
enum class output : unsigned char { text, json };

/// Adds --json.
void add_json_flag(CLI::App& command, output& form);

/// The part of --help that holds an example which runs as printed.
[[nodiscard]] std::string example(const std::string& lines);

}  // namespace sim::cli
