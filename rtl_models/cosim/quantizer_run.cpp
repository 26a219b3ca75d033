// SPDX-License-Identifier: Apache-2.0
// rtl_models/cosim/quantizer_run.cpp: mx_cosim with quantizers.
#include "rtl_models/cosim/quantizer_run.h"

#include <cstdio>

#include "rtl_models/cosim/backends.h"
#include "rtl_models/cosim/emulator_backend.h"
#include "rtl_models/cosim/random_blocks.h"
#include "rtl_models/cosim/scoreboard.h"

namespace hardware {
namespace {

quantizer_kind kind_of(const command_words& requested) {
  return {requested.format("in").value(), requested.format("scale").value()};
}

/// A side of the comparison: verilated, which at most one may be, or emulator.
std::unique_ptr<quantizer_backend> side_of(const std::string& word, const quantizer_kind& made,
                                           const command_words& requested,
                                           sc_core::sc_clock& clock) {
  if (word == "emulator") return std::make_unique<emulated_quantizer>(made);
  auto verilated = make_clocked_quantizer(made, clock);
  verilated->wait_at(stalls(requested.number("seed"), requested.number("pace")));
  return verilated;
}

}  // namespace

int run_quantizers(const command_words& requested) {
  const quantizer_kind made = kind_of(requested);
  sc_core::sc_clock clock("clock", 1, sc_core::SC_NS);
  const auto left = side_of(requested.left, made, requested, clock);
  const auto right = side_of(requested.right, made, requested, clock);
  quantizer_scoreboard board(
      made, *left, *right,
      {[&](std::uint32_t i) { return random_block(made, requested.number("seed"), i); },
       [] { sc_core::sc_start(100, sc_core::SC_NS); },
       requested.replay({"unit", "in", "scale", "seed", "pace"})});
  const std::string message = board.run(requested.number("first"), requested.number("blocks"));
  if (message.empty()) std::printf("%u blocks agree\n", requested.number("blocks"));
  std::fputs(message.c_str(), stdout);
  return message.empty() ? 0 : 1;
}

}  // namespace hardware
