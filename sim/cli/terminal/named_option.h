// SPDX-License-Identifier: Apache-2.0
// sim/cli/terminal/named_option.h: options whose values are the names of a table.
#pragma once
#include <stdexcept>
#include <string>
#include <string_view>

#include "mx/spelling.h"
#include "sim/cli/terminal/command.h"

namespace sim::cli {

/// The value that an option names.
///   what    the table's entries: "scale rule"
///   errors  throws usage_error with the option, the nearest name and all names
template <class Table>
[[nodiscard]] auto option_named(const Table& table, std::string_view what, std::string_view option,
                                std::string_view name) {
  try {
    return mx::value_named(table, what, name);
  } catch (const std::invalid_argument& wrong) {
    throw usage_error("{}: {}", option, wrong.what());
  }
}

}  // namespace sim::cli
