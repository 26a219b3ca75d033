// SPDX-License-Identifier: Apache-2.0
// sim/cli/terminal/command.h: what all subcommands share.
#pragma once
#include <CLI/CLI.hpp>
#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

/// What a word of the command line becomes: of an optional, or of a list, one value.
template <class Value>
struct word_type {
  using type = Value;
};
template <class Value>
struct word_type<std::optional<Value>> : word_type<Value> {};
template <class Value>
struct word_type<std::vector<Value>> : word_type<Value> {};

/// Argument checks that every option has by its type: a text that is not empty; an integer in
/// decimal, of the 64 bits that it has to fit (the parser reads 010 as 8, and what does not fit as
/// the limit); a finite number (NaN is within every range of the parser).
[[nodiscard]] CLI::Validator nonempty(const std::string& type);
[[nodiscard]] CLI::Validator decimal_unsigned();
[[nodiscard]] CLI::Validator decimal_signed();
[[nodiscard]] CLI::Validator finite_number();

/// Adds an option with a value. An empty text is refused where it would be taken for an absent
/// option; an optional one has a list of names that the command shows instead.
///   type  stands for the value in --help
template <class Value>
CLI::Option* add_value(CLI::App& command, const std::string& names, Value& value,
                       const std::string& type, const std::string& description) {
  using word = typename word_type<Value>::type;
  CLI::Option* option = command.add_option(names, value, description)->type_name(type);
  if constexpr (std::same_as<word, std::string> && !std::same_as<Value, std::optional<word>>) {
    option->check(nonempty(type));
  } else if constexpr (std::unsigned_integral<word>) {
    option->check(decimal_unsigned());
  } else if constexpr (std::signed_integral<word>) {
    option->check(decimal_signed());
  } else if constexpr (std::floating_point<word>) {
    option->check(finite_number());
  }
  return option;
}

/// Adds --json.
void add_json_flag(CLI::App& command, output& form);

/// Adds --threads, of each rank.
void add_threads_option(CLI::App& command, int& threads);

/// Argument checks: a number above 0; what a key of a study may be.
[[nodiscard]] CLI::Validator above_zero();
[[nodiscard]] CLI::Validator range_of(whole limits);

/// Names of the options of a list that the command line has.
[[nodiscard]] std::vector<std::string> given_of(const std::vector<const CLI::Option*>& options);

/// The options that a function adds to a command.
template <class Add>
[[nodiscard]] std::vector<const CLI::Option*> added_by(const Add& add, const CLI::App& command) {
  const std::size_t before = command.get_options().size();
  add();
  std::vector<const CLI::Option*> options = command.get_options();
  options.erase(options.begin(), options.begin() + static_cast<std::ptrdiff_t>(before));
  return options;
}

/// The part of --help with examples that run as printed.
///   lines  each indented by two blanks and ended
[[nodiscard]] std::string example(const std::string& lines);

}  // namespace sim::cli
