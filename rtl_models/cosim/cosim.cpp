// SPDX-License-Identifier: Apache-2.0
// rtl_models/cosim/cosim.cpp: a program that runs two tensor cores side by side, or times one,
// or runs two quantizers side by side.
//   mx_cosim LEFT RIGHT [--lanes N] [--seed N] [--pace N] [--first N] [--tiles N]
//     [--vcd F] [--fst F]
//   mx_cosim LEFT RIGHT --unit quantizer [--in F] [--scale F] [--seed N] [--pace N] [--first N]
//     [--blocks N]
// LEFT, RIGHT: cycles, verilated or emulator; RIGHT may be none: then LEFT is timed, unchecked. For
// quantizers verilated and emulator.
// Waves of the cycle model are VCD, those of the Verilated core of one lane FST.
// Exit status: 0 all tiles agree, 1 they do not, 2 for unknown arguments.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string_view>

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

  side(const std::string& kind, const command_words& requested, sc_core::sc_clock& clock) {
    if (kind == "emulator") emulator = std::make_unique<emulator_backend>();
    if (kind != "emulator") {
      clocked = make_clocked_backend(kind, static_cast<int>(requested.number("lanes")), clock);
    }
    if (clocked != nullptr)
      clocked->wait_at(stalls(requested.number("seed"), requested.number("pace")));
  }
  [[nodiscard]] tile_backend* get() const {
    return clocked != nullptr ? static_cast<tile_backend*>(clocked.get()) : emulator.get();
  }
};

int compare(const command_words& requested, side& left, side& right) {
  scoreboard board(*left.get(), *right.get(),
                   {[&](std::uint32_t i) { return random_tile(requested.number("seed"), i); },
                    [] { sc_core::sc_start(100, sc_core::SC_NS); },
                    requested.replay({"lanes", "seed", "pace"})});
  const std::string message = board.run(requested.number("first"), requested.number("tiles"));
  if (message.empty()) std::printf("%u tiles agree\n", requested.number("tiles"));
  std::fputs(message.c_str(), stdout);
  return message.empty() ? 0 : 1;
}

int measure(const command_words& requested, side& left) {
  const throughput seen =
      throughput_of(*left.get(), requested.number("seed"), requested.number("tiles"));
  std::printf("%s, %s lanes: %.0f dot products/s, %.0f cycles/s\n", requested.left.c_str(),
              requested.text("lanes").c_str(), seen.dot_products, seen.cycles);
  return 0;
}

constexpr const char* usage =
    "mx_cosim LEFT RIGHT [--lanes 1|8|32] [--seed N] [--pace 1..16] [--first N] "
    "[--tiles N] [--vcd FILE] [--fst FILE]\n"
    "mx_cosim LEFT RIGHT --unit quantizer [--in bf16|f32] [--scale e8m0|e8m3] "
    "[--seed N] [--pace 1..16] [--first N] [--blocks N]\n"
    "LEFT, RIGHT: cycles, verilated or emulator; RIGHT may be none: then LEFT is timed, "
    "unchecked.\nOf quantizers one is verilated, the other emulator. --vcd needs a side that is "
    "cycles, --fst\n--lanes 1 and a verilated side.\n";

int refuse(const std::string& error) {
  std::fprintf(stderr, "mx_cosim: error: %s\n%s", error.c_str(), usage);
  return 2;
}

int help() {
  std::fputs(usage, stdout);
  return 0;
}

/// "--fst: waves.fst cannot be written"; empty if all files of waves can be.
std::string unwritable_waves(const command_words& requested) {
  for (const std::string file : {"vcd", "fst"}) {
    const std::string path = requested.text(file);
    if (path.empty() || std::ofstream(path, std::ios::app)) continue;
    return "--" + file + ": " + path + " cannot be written";
  }
  return {};
}

/// The waves of the cycle model in a file of exactly this name. SystemC ends every name with .vcd:
/// others are written beside it and then renamed.
class vcd_file {
 public:
  explicit vcd_file(const std::string& path)
      : path_(path), written_(path.ends_with(end) ? path : path + ".part.vcd") {
    const std::string stem = written_.substr(0, written_.size() - end.size());
    trace_ = sc_core::sc_create_vcd_trace_file(stem.c_str());
  }
  ~vcd_file() {
    sc_core::sc_close_vcd_trace_file(trace_);
    std::error_code ignored;  // the waves are then in the other file
    if (written_ != path_) std::filesystem::rename(written_, path_, ignored);
  }
  vcd_file(const vcd_file&) = delete;
  vcd_file& operator=(const vcd_file&) = delete;

  [[nodiscard]] sc_core::sc_trace_file* get() const { return trace_; }

 private:
  static constexpr std::string_view end = ".vcd";

  std::string path_, written_;
  sc_core::sc_trace_file* trace_ = nullptr;
};

int run(const command_words& requested, side& left, side& right) {
  std::unique_ptr<vcd_file> vcd;
  if (!requested.text("vcd").empty()) {
    vcd = std::make_unique<vcd_file>(requested.text("vcd"));
    if (left.clocked != nullptr) left.clocked->trace_to(vcd->get());
    if (right.clocked != nullptr) right.clocked->trace_to(vcd->get());
  }
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  std::unique_ptr<fst_file> fst;
  for (const side* of : {&left, &right}) {
    if (requested.text("fst").empty() || fst != nullptr || of->clocked == nullptr) continue;
    if (of->clocked->label() == "verilated") {
      fst = std::make_unique<fst_file>(*of->clocked, requested.text("fst"));
    }
  }
  return requested.right == "none" ? measure(requested, left) : compare(requested, left, right);
}

}  // namespace

int sc_main(int count, char** words) {
  const command_words requested(count, words);
  if (requested.asks_for_help) return help();
  if (!requested.error.empty()) return refuse(requested.error);
  if (requested.text("unit") == "quantizer") return run_quantizers(requested);
  if (!requested.text("fst").empty()) allow_fst();
  sc_core::sc_clock clock("clock", 1, sc_core::SC_NS);
  side left(requested.left, requested, clock), right(requested.right, requested, clock);
  const std::string wrong = unwritable_waves(requested);
  return wrong.empty() ? run(requested, left, right) : refuse(wrong);
}
