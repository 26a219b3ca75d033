// SPDX-License-Identifier: Apache-2.0
// sim/cli/bench/systemc_cycles_bench.cpp: speed of the cycle model, relative to the Verilated RTL.
#include <algorithm>

#include "rtl_models/cosim/throughput.h"
#include "sim/cli/bench/measured_apart.h"
#include "sim/cli/bench/systemc_bench.h"

namespace sim::cli {
namespace {

/// 10^3 cycles a second, without waves; the simulation contains nothing else.
double rate_of(const std::string& kind, int lanes) {
  const auto measure = [&] {
    sc_core::sc_clock clock("clock", 1, sc_core::SC_NS);
    const auto side = hardware::make_clocked_backend(kind, lanes, clock);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    return hardware::throughput_of(*side, 1, static_cast<unsigned>(150 * std::min(lanes, 16)))
               .cycles *
           1e-3;
  };
  double best = 0;
  for (int round = 0; round < 5; ++round) best = std::max(best, measured_apart(measure));
  return best;
}

bench_result figure_of(const std::string& name, int lanes) {
  const double model = rate_of("cycles", lanes), rtl = rate_of("verilated", lanes);
  const std::string yardstick = "Verilated mx_tensor_core, lanes " + std::to_string(lanes);
  return beside(name, model, "kcycle/s", yardstick, rtl);
}

}  // namespace

std::vector<bench_result> bench_systemc_cycles() {
  return {figure_of("systemc.cycles", 8), figure_of("extra.systemc.cycles.1", 1),
          figure_of("extra.systemc.cycles.32", 32)};
}

}  // namespace sim::cli
