// SPDX-License-Identifier: Apache-2.0
// sim/cli/terminal/command.cpp: what all subcommands share.
#include "sim/cli/terminal/command.h"

#include <cerrno>
#include <cmath>
#include <cstdlib>

#include "sim/study/study_keys.h"

namespace sim::cli {

void add_json_flag(CLI::App& command, output& form) {
  command.add_flag_callback(
      "--json", [&form] { form = output::json; },
      "Print one JSON object, and nothing else, on standard output");
}

void add_threads_option(CLI::App& command, int& threads) {
  add_value(command, "--threads", threads, "N", "Threads; 0: as many as the machine has")
      ->check(range_of(thread_count));
}

CLI::Validator whole_number() {
  const auto problem = [](const std::string& text) -> std::string {
    char* end = nullptr;
    errno = 0;
    static_cast<void>(std::strtoull(text.c_str(), &end, 0));
    const bool digits = !text.empty() && text[0] >= '0' && text[0] <= '9';
    if (digits && *end == '\0' && errno == 0) return "";
    return "expected a whole number from 0 up, not " + text;
  };
  return {problem, ""};
}

CLI::Validator above_zero() {
  const auto problem = [](const std::string& text) -> std::string {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (!text.empty() && *end == '\0' && value > 0 && std::isfinite(value)) return "";
    return "expected a number above 0, not " + text;
  };
  return {problem, ""};
}

CLI::Validator range_of(whole limits) { return CLI::Range(limits.low, limits.high); }

CLI::Validator file_name() {
  return {[](const std::string& text) -> std::string {
            return text.empty() ? "expected the name of a file" : "";
          },
          ""};
}

std::string example(const std::string& lines) { return "Example:\n" + lines; }

}  // namespace sim::cli
