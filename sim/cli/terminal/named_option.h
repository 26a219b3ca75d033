// SPDX-License-Identifier: Apache-2.0
// sim/cli/terminal/named_option.h: options whose values are the names of a table.
#pragma once
#include <stdexcept>
#include <string>
#include <string_view>

#include "golden/io/file.h"
#include "mx/number/formats.h"
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

/// The format of numbers in a file that an option names.
///   errors  throws usage_error with the option if it is none of FP32, FP16 and BF16
[[nodiscard]] inline mx::format numbers_named(std::string_view option, const std::string& name) {
  try {
    const mx::format f = mx::number_format_spelled(name);
    if (f == mx::formats::binary32 || f == mx::formats::binary16 || f == mx::formats::bfloat16) {
      return f;
    }
  } catch (const std::invalid_argument&) {
  }
  throw usage_error("{}: there is no type {}; expected f32, f16 or bf16", option,
                    golden::io::printable(name));
}

}  // namespace sim::cli
