// SPDX-License-Identifier: Apache-2.0
// kernels/verify/graph_cases.h: launchers captured in a CUDA graph. Has not run on a device.
#pragma once
#include <string_view>
#include <vector>

#include "program.h"

namespace mx::kernels {

/// Names of the cases: rows in pairs, tiles with both results, columns by the core, a sum after the
/// shares; a product that prepares its operands, and a batch of such products.
inline constexpr std::string_view graph_matrices[] = {
    "quantize.mxfp4.rceil.nearest-even.bf16.39x1024.linear.rows",
    "quantize.mxfp4.even.nearest-even.bf16.96x160.128x4.both",
    "quantize.nvfp4.ideal.nearest-even.fp32.40x300.linear.both", "dequantize.mxfp4.bf16.24x1024",
    "decompose.mxfp4.floor.nearest-even.fp32.70x1024"};
inline constexpr std::string_view graph_product =
    "gemm.fp32.sequential.mxfp4.130x140x256.near.near.mma";
inline constexpr std::string_view graph_batch = "batched.fp32.sequential.mma";

/// Matrices, a product and a batch whose launches a graph captures: launched twice on cleared
/// results, it gives the core's bits both times.
[[nodiscard]] std::vector<device_layer::own_case> graph_cases();

}  // namespace mx::kernels
