// SPDX-License-Identifier: Apache-2.0
// sim/cli/probe/product_read.h: `probe read --gemm`: which accumulators a kernel's product shows.
#pragma once
#include "sim/cli/verify/product_command.h"

namespace sim::cli {

/// Tells the models that D is consistent with; returns the exit status.
///   errors  usage_error, file_error
[[nodiscard]] int read_product_probe(const product_options& options, product_request request);

}  // namespace sim::cli
