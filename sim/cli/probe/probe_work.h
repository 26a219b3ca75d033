// SPDX-License-Identifier: Apache-2.0
// sim/cli/probe/probe_work.h: `probe make` and `probe read`, of tensors and of products.
#pragma once
#include <optional>
#include <string>

#include "sim/cli/probe/probe_options.h"
#include "sim/cli/verify/product_command.h"

namespace sim::cli {

// All print what they found, return the exit status, and throw usage_error and file_error.

/// Writes .safetensors with `x`, and further tensors if there are tensor scales.
[[nodiscard]] int make_tensor_probe(const std::string& path, const probe_options& options,
                                    output form);

///   format, b_format  of A and B: `f16`, `e4m3` and such, or blocks such as `mxfp4`
///   result            f32 or f16: of C, D and the models
struct product_probe_options {
  std::optional<std::string> format, b_format;
  std::string result = "f32", shape;
  int k = 128;
};

/// Writes a.safetensors, b.safetensors and c.safetensors, on which models of products differ, into
/// a folder, which is created if missing.
[[nodiscard]] int make_product_operands(const std::string& folder,
                                        const product_probe_options& options, output form);

/// The card of a kernel from its output on a probe.
///   input   the kernel's input file; empty: the probe that the options describe
[[nodiscard]] int read_tensor_probe(const std::string& kernel_out, const std::string& input,
                                    const probe_options& options, output form);

/// The accumulators that a kernel's product D is consistent with.
[[nodiscard]] int read_product_probe(const product_options& options, verify_request request);

}  // namespace sim::cli
