// SPDX-License-Identifier: Apache-2.0
// sim/cli/bench/cuda_bench.h: `bench cuda.*`: the measures of kernels/bench on a CUDA device.
#pragma once
#include <string>
#include <vector>

#include "sim/cli/bench/bench.h"

namespace sim::cli {

/// Why nothing can be measured: this build has no kernels, or this machine no device; empty where
/// both exist.
[[nodiscard]] std::string cuda_absence();

/// Figures of a measure of kernels/bench/measures.h; the first has its name.
///   errors  usage_error where this device does not support it
[[nodiscard]] std::vector<bench_result> bench_cuda(const std::string& name);

}  // namespace sim::cli
