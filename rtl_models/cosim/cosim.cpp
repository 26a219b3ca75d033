// SPDX-License-Identifier: Apache-2.0
// rtl_models/cosim/cosim.cpp: a program that runs two tensor cores side by side, or times one,
// or runs two quantizers side by side.
//   mx_cosim LEFT RIGHT [--lanes N] [--seed N] [--pace N] [--first N] [--tiles N] [--vcd F] [--fst F]
//   mx_cosim LEFT RIGHT --unit quantizer [--in F] [--scale F] [--seed N] [--pace N] [--first N]
//     [--blocks N]
// LEFT, RIGHT: cycles, verilated or emulator; RIGHT may be none: then LEFT is timed, unchecked. For
// quantizers verilated and emulator.
// Waves of the cycle model are VCD, those of the Verilated core of one lane FST.
// Exit status: 0 all tiles agree, 1 they do not, 2 for unknown arguments.
#include <cstdio>

#include "rtl_models/cosim/backends.h"
#include "rtl_models/cosim/command_words.h"
#include "rtl_models/cosim/emulator_backend.h"
#include "rtl_models/cosim/quantizer_run.h"
#include "rtl_models/cosim/random_tiles.h"
#include "rtl_models/cosim/scoreboard.h"
#include "rtl_models/cosim/throughput.h"

namespace {

using namespace hardware;

/// A side of the comparison; `clocked` is set if it has a clock.
struct side {
  std::unique_ptr<tile_backend> emulator;
  std::unique_ptr<clocked_backend> clocked;

  side(const std::string& kind, const command_words& asked, sc_core::sc_clock& clock) {
    if (kind == "emulator") emulator = std::make_unique<emulator_backend>();
    if (kind != "emulator") {
      clocked = make_clocked_backend(kind, static_cast<int>(asked.number("lanes")), clock);
    }
    if (clocked != nullptr) clocked->wait_at(stalls(asked.number("seed"), asked.number("pace")));
  }
  [[nodiscard]] tile_backend* get() const {
    return clocked != nullptr ? static_cast<tile_backend*>(clocked.get()) : emulator.get();
  }
};

int compare(const command_words& asked, side& left, side& right) {
  scoreboard board(
      *left.get(), *right.get(),
      {[&](std::uint32_t i) { return random_tile(asked.number("seed"), i); },
       [] { sc_core::sc_start(100, sc_core::SC_NS); }, asked.replay({"lanes", "seed", "pace"})});
  const std::string told = board.run(asked.number("first"), asked.number("tiles"));
  if (told.empty()) std::printf("%u tiles agree\n", asked.number("tiles"));
  std::fputs(told.c_str(), stdout);
  return told.empty() ? 0 : 1;
}

int measure(const command_words& asked, side& left) {
  const throughput seen = throughput_of(*left.get(), asked.number("seed"), asked.number("tiles"));
  std::printf("%s, %s lanes: %.0f dot products/s, %.0f cycles/s\n", asked.left.c_str(),
              asked.text("lanes").c_str(), seen.dot_products, seen.cycles);
  return 0;
}

int usage() {
  std::fputs(
      "mx_cosim LEFT RIGHT [--lanes 1|8|32] [--seed N] [--pace 1..16] [--first N] "
      "[--tiles N] [--vcd FILE] [--fst FILE]\n"
      "mx_cosim LEFT RIGHT --unit quantizer [--in bfloat16|binary32] [--scale e8m0|e8m3] "
      "[--seed N] [--pace 1..16] [--first N] [--blocks N]\n",
      stderr);
  return 2;
}

int run(const command_words& asked, side& left, side& right) {
  sc_core::sc_trace_file* vcd = nullptr;
  if (!asked.text("vcd").empty()) {
    vcd = sc_core::sc_create_vcd_trace_file(asked.text("vcd").c_str());
    if (left.clocked != nullptr) left.clocked->trace_to(vcd);
    if (right.clocked != nullptr) right.clocked->trace_to(vcd);
  }
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  std::unique_ptr<fst_file> fst;
  for (const side* of : {&left, &right}) {
    if (asked.text("fst").empty() || fst != nullptr || of->clocked == nullptr) continue;
    if (of->clocked->label() == "verilated") {
      fst = std::make_unique<fst_file>(*of->clocked, asked.text("fst"));
    }
  }
  const int status = asked.right == "none" ? measure(asked, left) : compare(asked, left, right);
  if (vcd != nullptr) sc_core::sc_close_vcd_trace_file(vcd);
  return status;
}

}  // namespace

int sc_main(int count, char** words) {
  const command_words asked(count, words);
  if (!asked.understood || asked.number("pace") == 0) return usage();
  if (asked.text("unit") == "quantizer") {
    const auto status = run_quantizers(asked);
    return status ? *status : usage();
  }
  if (asked.text("unit") != "tensor_core") return usage();
  if (!asked.text("fst").empty()) allow_fst();
  sc_core::sc_clock clock("clock", 1, sc_core::SC_NS);
  side left(asked.left, asked, clock), right(asked.right, asked, clock);
  const bool waves = asked.text("fst").empty() || asked.number("lanes") == 1;
  const bool known =
      waves && left.get() != nullptr && (right.get() != nullptr || asked.right == "none");
  return known ? run(asked, left, right) : usage();
}
