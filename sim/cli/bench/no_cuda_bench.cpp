// SPDX-License-Identifier: Apache-2.0
// sim/cli/bench/no_cuda_bench.cpp: `bench cuda.*` of a build without the kernels.
#include "sim/cli/bench/cuda_bench.h"

namespace sim::cli {

std::string cuda_absence() {
  return "this build has no CUDA kernels (./bootstrap --cuda, then cmake --preset cuda)";
}

std::vector<bench_result> bench_cuda(const std::string& /*name*/) { return {}; }

}  // namespace sim::cli
