// SPDX-License-Identifier: Apache-2.0
// tests/cosim/bench.h: all backends in one simulation, which is elaborated once for all tests.
#pragma once
#include <memory>
#include <vector>

#include "rtl_models/cosim/backends.h"
#include "rtl_models/cosim/emulator_backend.h"
#include "rtl_models/cosim/random_blocks.h"
#include "rtl_models/cosim/random_tiles.h"
#include "rtl_models/cosim/scoreboard.h"

namespace cosim {

/// Two of each kind, so that instances show if they share something.
struct bench_lanes {
  int lanes;
  std::unique_ptr<hardware::clocked_backend> cycles, other_cycles, verilated;
};

/// Resets the tiles of all backends, and sets their stalls.
void restart(const bench_lanes& of, const hardware::stalls& how);

/// Backends of 1, 8 and 32 lanes.
[[nodiscard]] const std::vector<bench_lanes>& bench();

/// The Verilated quantizers.
struct bench_quantizer {
  hardware::quantizer_kind made;
  std::unique_ptr<hardware::clocked_quantizer> verilated;
};
[[nodiscard]] const std::vector<bench_quantizer>& quantizers();

/// A cycle model that does not hold its output stable until it is accepted.
enum class bench_fault : std::uint8_t { valid_falls, word_changes };
[[nodiscard]] hardware::clocked_backend& faulty(bench_fault how);

/// Continues the simulation.
void run_cycles(int count);

}  // namespace cosim
