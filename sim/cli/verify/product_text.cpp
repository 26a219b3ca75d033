// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/product_text.cpp: a verdict on a product, as text.
#include <fmt/format.h>

#include "golden/io/tensor.h"
#include "sim/cli/terminal/terminal_text.h"
#include "sim/cli/verify/product_report.h"

namespace sim::cli {

std::vector<model_distinction> distinctions_in(const product_inputs& in,
                                               const product_verdict& verdict) {
  return golden::validator::distinctions_in(in.judged(), verdict);
}

void print_text(const product_inputs& in, const product_verdict& verdict) {
  const auto broken = [](const std::string& line) { return wrapped(line, 4, 2); };
  fmt::print("{}", golden::validator::report_text(
                       in.judged(), verdict,
                       {golden::io::printable(in.kernel_out), in.candidates.front().a->k, broken}));
}

}  // namespace sim::cli
