// SPDX-License-Identifier: Apache-2.0
// sim/cli/bench/cuda_bench.cpp: `bench cuda.*` on the device in use.
#include "sim/cli/bench/cuda_bench.h"

#include "kernels/bench/benches.h"
#include "sim/cli/terminal/command.h"

namespace sim::cli {
namespace {

bench_result result_of(const mx::kernels::figure& f) {
  return {f.name, f.value.value_or(0), f.unit, f.yardstick, f.yardstick_value, f.ratio()};
}

}  // namespace

std::string cuda_absence() { return mx::kernels::device_absence(); }

std::vector<bench_result> bench_cuda(const std::string& name) {
  std::vector<bench_result> results;
  try {
    for (const auto& figure : mx::kernels::figures_of(name)) results.push_back(result_of(figure));
  } catch (const mx::kernels::not_measurable& why) {
    throw usage_error(name + " cannot be measured: " + why.what());
  }
  return results;
}

}  // namespace sim::cli
