// SPDX-License-Identifier: Apache-2.0
// sim/cli/bench/no_rtl_bench.cpp: `bench rtl.dot` of a build without Verilator.
#include "sim/cli/bench/bench.h"

namespace sim::cli {

std::vector<bench_result> bench_rtl_dot() {
  return {{"rtl.dot", 0, "Mword/s", "this build has no Verilated RTL (./bootstrap --rtl)", {}, {}}};
}

}  // namespace sim::cli
