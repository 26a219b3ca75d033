// SPDX-License-Identifier: Apache-2.0
// sim/cli/terminal/command.cpp: what all subcommands have in common.
#include "sim/cli/terminal/command.h"

namespace sim::cli {

void add_json_flag(CLI::App& command, output& form) {
  command.add_flag_callback(
      "--json", [&form] { form = output::json; },
      "Print one JSON object on standard output, and nothing else there");
}

std::string example(const std::string& lines) { return "Example:\n" + lines; }

}  // namespace sim::cli
