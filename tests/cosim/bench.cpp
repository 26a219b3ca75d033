// SPDX-License-Identifier: Apache-2.0
// tests/cosim/bench.cpp: all backends in one simulation.
#include "bench.h"

/// The library's main() wants one; Catch2 has its own.
int sc_main(int, char**) { return 0; }

namespace cosim {
namespace {

struct whole_bench {
  sc_core::sc_clock clock{"clock", 1, sc_core::SC_NS};
  std::vector<bench_lanes> all;

  whole_bench() {
    hardware::allow_fst();
    for (const int lanes : {1, 8, 32}) {
      bench_lanes of{lanes, hardware::make_clocked_backend("cycles", lanes, clock), nullptr,
                     hardware::make_clocked_backend("verilated", lanes, clock)};
      of.other_cycles = second_cycles(lanes);
      all.push_back(std::move(of));
    }
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  std::unique_ptr<hardware::clocked_backend> second_cycles(int lanes) {
    using namespace hardware;
    if (lanes != 8) return nullptr;
    return std::make_unique<pin_backend<tensor_core_cycles<8>, 8>>("other_cycles_8", "cycles",
                                                                   clock);
  }
};

}  // namespace

const std::vector<bench_lanes>& bench() {
  static const whole_bench whole;
  return whole.all;
}

void restart(const bench_lanes& of, const hardware::stalls& how) {
  for (auto* backend : {of.cycles.get(), of.other_cycles.get(), of.verilated.get()}) {
    if (backend == nullptr) continue;
    backend->reset();
    backend->wait_at(how);
  }
  run_cycles(4);
  // Both sides of a comparison begin with the same draws.
  for (auto* backend : {of.cycles.get(), of.other_cycles.get(), of.verilated.get()}) {
    if (backend != nullptr) backend->wait_at(how);
  }
}

void run_cycles(int count) { sc_core::sc_start(count, sc_core::SC_NS); }

}  // namespace cosim
