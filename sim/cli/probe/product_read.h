// SPDX-License-Identifier: Apache-2.0
// sim/cli/probe/product_read.h: `probe read --gemm`: accumulators that explain a kernel's product.
#pragma once
#include "sim/cli/verify/product_command.h"

namespace sim::cli {

/// Prints the models that D is consistent with; returns the exit status.
///   errors  usage_error, file_error
[[nodiscard]] int read_product_probe(const product_options& options, product_request request);

}  // namespace sim::cli
