// SPDX-License-Identifier: Apache-2.0
// sim/cli/bench/systemc_bench.h: figures of the SystemC models, each from a separate process.
#pragma once
#include "sim/cli/bench/bench.h"

namespace sim::cli {

/// The loosely timed tensor core, successive products of 256 x 256 x 1024, one thread, relative to
/// bench_dot().
[[nodiscard]] std::vector<bench_result> bench_systemc_lt();

/// Cycles a second of the cycle model, relative to the Verilated RTL under SystemC: of 8 lanes,
/// then of 1 and 32.
[[nodiscard]] std::vector<bench_result> bench_systemc_cycles();

}  // namespace sim::cli
