// SPDX-License-Identifier: Apache-2.0
// sim/cli/bench/no_systemc_cycles_bench.cpp: `systemc.cycles` of a build without Verilator.
#include "sim/cli/bench/systemc_bench.h"

namespace sim::cli {

std::vector<bench_result> bench_systemc_cycles() {
  return {{"systemc.cycles",
           0,
           "kcycle/s",
           "this build has no Verilated RTL (./bootstrap --rtl)",
           {},
           {}}};
}

}  // namespace sim::cli
