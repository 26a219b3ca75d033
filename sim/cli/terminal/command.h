// SPDX-License-Identifier: Apache-2.0
// sim/cli/terminal/command.h: what all subcommands share.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <string_view>

#include "sim/cli/terminal/terminal_text.h"
#include "sim/study/input_error.h"

namespace sim {
struct whole;  // study_keys.h
}

namespace sim::cli {

/// Exit status of the program.
namespace exit_status {
inline constexpr int done = 0;        ///< also: equal
inline constexpr int difference = 1;  ///< a comparison found one, or a claim failed
inline constexpr int bad_input = 2;   ///< bad usage or bad input
inline constexpr int bug = 3;
}  // namespace exit_status

inline constexpr std::string_view not_enough_memory = "not enough memory for the input; split it";

/// Bad usage that the parser cannot detect. The message says what was expected.
struct usage_error : input_error {
  using input_error::input_error;
};

/// The requested work, run once the whole command line was parsed; returns the exit status.
/// Each subcommand is declared to the parser by a function that receives one to assign.
using action = std::function<int()>;

/// Form of the output: text, or one JSON object.
enum class output : unsigned char { text, json };

/// Adds an option with a value.
///   type  stands for the value in --help
template <class Value>
CLI::Option* add_value(CLI::App& command, const std::string& names, Value& value,
                       const std::string& type, const std::string& description) {
  return command.add_option(names, value, description)->type_name(type);
}

/// Adds --json.
void add_json_flag(CLI::App& command, output& form);

/// Adds --threads, of each rank.
void add_threads_option(CLI::App& command, int& threads);

/// Argument checks: a non-negative integer; a finite number above 0; what a key of a study may be; the
/// name of a file.
[[nodiscard]] CLI::Validator whole_number();
[[nodiscard]] CLI::Validator above_zero();
[[nodiscard]] CLI::Validator range_of(whole limits);
[[nodiscard]] CLI::Validator file_name();

/// The part of --help with examples that run as printed.
///   lines  each indented by two blanks and ended
[[nodiscard]] std::string example(const std::string& lines);

}  // namespace sim::cli
