// SPDX-License-Identifier: Apache-2.0
// sim/cli/products/dot_binary64.h: words of FP64 numbers, replayed as chains of fused
// multiply-adds.
#pragma once
#include <optional>
#include <string>

#include "golden/io/tensor_file.h"
#include "mx/dot/binary64_dot.h"
#include "sim/cli/terminal/command.h"
#include "sim/cli/terminal/output_file.h"

namespace sim::cli {

/// What `mxprism dot` was asked for.
struct binary64_request {
  std::string in, out;
  std::optional<std::uint64_t> explained;
  std::uint64_t steps = 64;
  output form = output::text;
};

/// Compares the words of a file, prints them, and writes the results if a name is given.
///   returns  the exit status
///   errors   file_error with the tensor and what was expected; usage_error
int run_binary64_dot(const mx::binary64::named_model& model, const binary64_request& request);

}  // namespace sim::cli
