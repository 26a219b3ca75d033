// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/product_text.cpp: a product's diagnosis as text.
#include <fmt/format.h>

#include "sim/cli/terminal/terminal_text.h"
#include "sim/cli/verify/product_report.h"

namespace sim::cli {

void print_text(const product_diagnosis& d) {
  const auto broken = [](const std::string& line) { return wrapped(line, 4, 2); };
  fmt::print("{}", golden::validator::report_text(d, broken));
}

}  // namespace sim::cli
