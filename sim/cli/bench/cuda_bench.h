// SPDX-License-Identifier: Apache-2.0
// sim/cli/bench/cuda_bench.h: `bench cuda.*`: what kernels/bench measures on a CUDA device.
#pragma once
#include <string>
#include <vector>

#include "sim/cli/bench/bench.h"

namespace sim::cli {

/// Why nothing can be measured: this build has no kernels, or this machine no device; empty where
/// there are both.
[[nodiscard]] std::string cuda_absence();

/// Figures of a measure of kernels/bench/measures.h; the first has its name.
///   errors  usage_error where this device cannot be asked for it
[[nodiscard]] std::vector<bench_result> bench_cuda(const std::string& name);

}  // namespace sim::cli
