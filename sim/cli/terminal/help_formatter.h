// SPDX-License-Identifier: Apache-2.0
// sim/cli/terminal/help_formatter.h: how --help prints commands and options.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

namespace sim::cli {

/// Wraps descriptions to page_width. Of a flag that takes a value, and of a positional, only the
/// name is printed, since that says what it is. Ranges, and which options exclude each other, are
/// left to descriptions. Options of the group "" are hidden.
class help_formatter : public CLI::Formatter {
 public:
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
  std::string make_help(const CLI::App* command, std::string name,
                        CLI::AppFormatMode mode) const override;
  std::string make_subcommand(const CLI::App* command) const override;
  std::string make_description(const CLI::App* command) const override;
};

}  // namespace sim::cli
