// SPDX-License-Identifier: Apache-2.0
// sim/cli/probe/probe_make.h: `probe make`: writes the input of a probe, and what it resolves.
#pragma once
#include "sim/cli/probe/probe_options.h"

namespace sim::cli {

/// Writes .safetensors with `x`, and further tensors if there are tensor scales; returns the exit
/// status.
///   errors  usage_error, file_error
[[nodiscard]] int make_tensor_probe(const std::string& path, const probe_options& options,
                                    output form);

}  // namespace sim::cli
