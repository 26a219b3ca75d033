// SPDX-License-Identifier: Apache-2.0
// sim/cli/probe/product_make.h: `probe make --gemm`: operands on which models of products differ.
#pragma once
#include <optional>
#include <string>

#include "sim/cli/probe/probe_options.h"

namespace sim::cli {

///   format, b_format  of A and B: `f16`, `e4m3` and such, or blocks such as `mxfp4`
///   result            f32 or f16: of C, D and the models
struct product_probe_options {
  std::optional<std::string> format, b_format;
  std::string result = "f32", shape;
  int k = 128;
};

/// Writes a.safetensors, b.safetensors and c.safetensors into a folder, which is created if
/// missing; returns the exit status.
///   errors  usage_error, file_error
[[nodiscard]] int make_product_operands(const std::string& folder,
                                        const product_probe_options& options, output form);

}  // namespace sim::cli
