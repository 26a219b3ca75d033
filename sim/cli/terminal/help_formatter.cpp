// SPDX-License-Identifier: Apache-2.0
// sim/cli/terminal/help_formatter.cpp: see help_formatter.h.
#include "sim/cli/terminal/help_formatter.h"

#include <utility>

#include "sim/cli/terminal/terminal_text.h"

namespace sim::cli {

std::string help_formatter::make_option_name(const CLI::Option* option, bool is_positional) const {
  const std::string name = CLI::Formatter::make_option_name(option, is_positional);
  return name.substr(0, name.find('{'));
}

std::string help_formatter::make_option_opts(const CLI::Option* option) const {
  std::string text;
  if (option->get_type_size() == 0) return text;
  const std::string type = option->get_type_name();  // with its checks, each behind a colon
  if (!option->get_positional()) text += " " + type.substr(0, type.find(':'));
  if (option->get_expected_max() == CLI::detail::expected_max_vector_size) text += " ...";
  if (option->get_required()) text += " REQUIRED";
  return text;
}

std::string help_formatter::make_option_desc(const CLI::Option* option) const {
  return wrapped(option->get_description(), 0, 0, page_width - get_column_width());
}

std::string help_formatter::make_help(const CLI::App* command, std::string name,
                                      CLI::AppFormatMode mode) const {
  std::string text = CLI::Formatter::make_help(command, std::move(name), mode);
  // A hidden group leaves an empty line.
  if (const std::size_t at = text.find("\n\n\n"); at != std::string::npos) text.erase(at, 1);
  return text;
}

std::string help_formatter::make_subcommand(const CLI::App* command) const {
  const std::size_t column = get_column_width();
  return "  " + cell(command->get_name(), 2, column) +
         wrapped(command->get_description(), column, column) + "\n";
}

std::string help_formatter::make_description(const CLI::App* command) const {
  return wrapped(command->get_description(), 0, 0) + "\n";
}

}  // namespace sim::cli
