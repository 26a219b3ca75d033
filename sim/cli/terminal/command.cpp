// SPDX-License-Identifier: Apache-2.0
// sim/cli/terminal/command.cpp: what all subcommands share.
#include "sim/cli/terminal/command.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "sim/study/number_in.h"
#include "sim/study/study_keys.h"

namespace sim::cli {
namespace {

/// What is wrong with a word as an integer; empty if nothing. A negative one begins with a blank,
/// by which the parser does not take it for an option.
template <class Integer>
std::string decimal_problem(const std::string& text) {
  const std::string_view word = std::string_view(text).substr(text.starts_with(' ') ? 1 : 0);
  if (decimal_in<Integer>(word)) return "";
  const std::string_view digits = word.substr(word.starts_with('-') ? 1 : 0);
  if (digits.size() > 1 && digits[0] == '0') {
    return fmt::format("expected a whole number without leading zeros, in decimal, not {}", word);
  }
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) {
    return fmt::format("expected a whole number, not {}", word);
  }
  return fmt::format("expected a whole number from {} to {}, not {}",
                     std::numeric_limits<Integer>::min(), std::numeric_limits<Integer>::max(),
                     word);
}

/// NaN for a word that is none.
double real_in(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return text.empty() || *end != '\0' ? std::nan("") : value;
}

}  // namespace

void add_json_flag(CLI::App& command, output& form) {
  command.add_flag_callback(
      "--json", [&form] { form = output::json; },
      "Print one JSON object, and nothing else, on standard output");
}

void add_threads_option(CLI::App& command, int& threads) {
  add_value(command, "--threads", threads, "N", "Threads; 0: as many as the machine has")
      ->check(range_of(thread_count));
}

CLI::Validator nonempty(const std::string& type) {
  const auto problem = [type](const std::string& text) {
    return text.empty() ? "expected " + type + ", not an empty word" : std::string();
  };
  return {problem, ""};
}

CLI::Validator decimal_unsigned() { return {decimal_problem<std::uint64_t>, ""}; }

CLI::Validator decimal_signed() { return {decimal_problem<std::int64_t>, ""}; }

CLI::Validator finite_number() {
  const auto problem = [](const std::string& text) -> std::string {
    if (std::isfinite(real_in(text))) return "";
    return "expected a finite number, not " + text;
  };
  return {problem, ""};
}

CLI::Validator above_zero() {
  const auto problem = [](const std::string& text) -> std::string {
    if (real_in(text) > 0) return "";
    return "expected a number above 0, not " + text;
  };
  return {problem, ""};
}

CLI::Validator range_of(whole limits) { return CLI::Range(limits.low, limits.high); }

std::vector<std::string> given_of(const std::vector<const CLI::Option*>& options) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options) {
    if (option->count() > 0) names.push_back(option->get_name());
  }
  return names;
}

std::string example(const std::string& lines) { return "Example:\n" + lines; }

}  // namespace sim::cli
