// SPDX-License-Identifier: Apache-2.0
// sim/cli/probe/probe_read.h: `probe read`: a kernel's output on a probe, and the card of the kernel.
#pragma once
#include "sim/cli/probe/probe_options.h"

namespace sim::cli {

/// Tells the card of the kernel; returns the exit status.
///   input   the file that the kernel was given; empty: the probe that the options name
///   errors  usage_error, file_error
[[nodiscard]] int read_tensor_probe(const std::string& kernel_out, const std::string& input,
                                    const probe_options& options, output form);

}  // namespace sim::cli
