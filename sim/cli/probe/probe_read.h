// SPDX-License-Identifier: Apache-2.0
// sim/cli/probe/probe_read.h: `probe read`: the card of a kernel from its output on a probe.
#pragma once
#include "sim/cli/probe/probe_options.h"

namespace sim::cli {

/// Prints the card of the kernel; returns the exit status.
///   input   the kernel's input file; empty: the probe that the options describe
///   errors  usage_error, file_error
[[nodiscard]] int read_tensor_probe(const std::string& kernel_out, const std::string& input,
                                    const probe_options& options, output form);

}  // namespace sim::cli
